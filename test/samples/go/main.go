package main

import (
	"fmt"

	"golang.org/x/text/language"
	"github.com/google/uuid"
)

func main() { fmt.Println(uuid.NewString(), language.English) }
