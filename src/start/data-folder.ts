import { accessSync, constants, mkdirSync } from 'node:fs'
import { fromFileError } from '../postgres/problem.ts'

/**
 * Also where the database is elsewhere: uploads, packages and the journal are written there. One that is closed to us would be noticed
 * by those who upload.
 */
export function openDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw fromFileError(error)
  }
}
