import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { walFolder } from '../../postgres/archive/wal-archive.ts'

/** A copy of the cluster's files; what has happened since is in the segments from `startSegment` on. */
export type Base = { file: string; endedAt: Date; startSegment: string }

const baseName = /^base-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)-([0-9A-F]{24})\.base$/
const segmentName = /^([0-9A-F]{24})\.gz$/
/** Of 16 MiB each: this many have the same middle part of their names. */
const perFile = 256

/** Its name says all that is needed to choose it. */
export function baseFile(archive: string, endedAt: Date, startSegment: string): string {
  return join(archive, `base-${endedAt.toISOString().replaceAll(':', '-')}-${startSegment}.base`)
}

/** Oldest first. */
export async function listBases(archive: string): Promise<Base[]> {
  if (!existsSync(archive)) return []
  const names = (await readdir(archive)).sort()
  return names.flatMap((name) => {
    const [, hour, minute, second, startSegment] = baseName.exec(name) ?? []
    if (!startSegment) return []
    return [{ file: join(archive, name), endedAt: new Date(`${hour}:${minute}:${second}`), startSegment }]
  })
}

/** In order. */
export async function listSegments(archive: string): Promise<string[]> {
  const wal = walFolder(archive)
  if (!existsSync(wal)) return []
  return (await readdir(wal)).flatMap((name) => segmentName.exec(name)?.[1] ?? []).sort()
}

/** The archives of all databases that used this folder; the folder itself where it is one. */
export async function findArchives(folder: string): Promise<string[]> {
  if (existsSync(walFolder(folder))) return [folder]
  if (!existsSync(folder)) return []
  const below = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  return below.map(({ name }) => join(folder, name)).filter((each) => existsSync(walFolder(each)))
}

/** The first segment that is missing among those from `start` to the newest. */
export function firstGap(segments: readonly string[], start: string): string | undefined {
  const there = segments.filter((segment) => segment >= start)
  for (let expected = start, at = 0; at < there.length; at++) {
    if (there[at] !== expected) return expected
    expected = nextSegment(expected)
  }
  return there.length === 0 ? start : undefined
}

export function nextSegment(segment: string): string {
  const [timeline, high, low] = [segment.slice(0, 8), segment.slice(8, 16), segment.slice(16)]
  const next = Number.parseInt(high, 16) * perFile + Number.parseInt(low, 16) + 1
  return timeline + hex(Math.floor(next / perFile)) + hex(next % perFile)
}

function hex(number: number): string {
  return number.toString(16).toUpperCase().padStart(8, '0')
}

/** What people call an archive. */
export function nameOf(archive: string): string {
  return basename(archive)
}
