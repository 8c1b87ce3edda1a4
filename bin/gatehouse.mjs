#!/usr/bin/env node
// The command line: `npx gatehouse`. It runs on the project's own Node, whichever one started it.
import { fileURLToPath } from 'node:url'

process.argv.splice(2, 0, 'src/main.ts')
await import(fileURLToPath(new URL('../scripts/run.mjs', import.meta.url)))
