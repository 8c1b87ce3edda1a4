const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** In the unit that people read, to one decimal: nobody counts 64 MiB in bytes. */
export function readableSize(bytes: number): string {
  const steps = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${Math.round((bytes / 1024 ** steps) * 10) / 10} ${units[steps]}`
}
