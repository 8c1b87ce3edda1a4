import { globSync } from 'node:fs'
import { join } from 'node:path'
import { type Benchmark, type Figure, reached } from './figure.ts'

/**
 * `npm run bench [-- part of a name] [--json]`. Every figure is a ratio to a peer or a limit in the same run, because the
 * machine may be busy. Exit code 1 where a limit is missed.
 */
const args = process.argv.slice(2)
const json = args.includes('--json')
const wanted = args.filter((arg) => !arg.startsWith('--'))

const benchmarks: Benchmark[] = []
for (const file of globSync('*.bench.ts', { cwd: import.meta.dirname }).sort()) {
  benchmarks.push((await import(join(import.meta.dirname, file))).benchmark)
}
const names = new Set(benchmarks.map(({ name }) => name))

const figures: Figure[] = []
for (const benchmark of benchmarks.filter(isWanted)) {
  if (!json) console.log(`\n${benchmark.name}`)
  for (const figure of await benchmark.run()) {
    figures.push(figure)
    if (!json) console.log(line(figure))
  }
}
const missed = figures.filter((figure) => !reached(figure))
if (json) console.log(JSON.stringify({ figures, missed: missed.map((figure) => figure.name) }))
else console.log(`\n${figures.length} figures, ${missed.length} missed`)
process.exit(missed.length > 0 ? 1 : 0)

/** By its name, or by a part that is not itself one. */
function isWanted({ name }: Benchmark): boolean {
  return wanted.length === 0 || wanted.some((part) => (names.has(part) ? name === part : name.includes(part)))
}

function line(figure: Figure): string {
  const { limit } = figure
  const shown = limit ? ('atLeast' in limit ? `, to reach ${limit.atLeast}` : `, at most ${limit.atMost}`) : ''
  const detail = figure.detail ? `  (${figure.detail})` : ''
  return `  ${reached(figure) ? '✔' : '✖'} ${figure.name}: ${round(figure.value)} ${figure.unit}${shown}${detail}`
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
