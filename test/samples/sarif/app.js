var unused = 1
if (a = 2) console.log(eval('1'))
