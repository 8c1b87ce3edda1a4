import type { Problem } from '../format.ts'
import type { FeedFile } from './document.ts'

/** What an archive gives: its files one after the other, and a problem as the last where it ends badly. */
export type ArchiveItem = (FeedFile & { problem?: undefined }) | { problem: Problem }

/** A file that can be read from anywhere. */
export type RandomAccess = { size: number; read(offset: number, length: number): Uint8Array }

export type ArchiveLimits = {
  /** Of one file, unpacked. */
  fileBytes: number
  /** Of all files together, unpacked: what a bomb would exceed. */
  totalBytes: number
  files: number
}

export const archiveLimits: ArchiveLimits = {
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 16 * 1024 * 1024 * 1024,
  files: 5_000_000,
}
