import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildConsole, carried } from '../console/build.ts'

/** Before `npm pack` and `npm publish`: what is published carries the console as a browser takes it, and not its sources. */
const { folder } = await buildConsole()
await rm(carried, { recursive: true, force: true })
await cp(folder, carried, { recursive: true, filter: (file) => file !== join(folder, 'metafile.json') })
