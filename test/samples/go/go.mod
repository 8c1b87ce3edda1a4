module example.com/sample-app

go 1.26.8

require (
	github.com/google/uuid v1.6.0
	golang.org/x/text v0.43.0
)
