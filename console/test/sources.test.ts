import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { sharedSources } from '../build.ts'

const folder = join(import.meta.dirname, '..')
const files = globSync('**/*.{ts,tsx}', { cwd: folder }).filter((file) => !/\.test\.ts$|^test\//.test(file))
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

test('the console takes nothing but types from the server, and what imports nothing but types and its like', () => {
  assert.ok(files.length > 60, String(files.length))
  for (const shared of sharedSources) {
    const text = readFileSync(join(folder, '..', shared), 'utf8')
    const taken = [...text.matchAll(/^import (?!type )[^']*'([^']+)'/gm)].map(([, from]) =>
      normalize(join(dirname(shared), from!)),
    )
    assert.deepEqual(
      taken.filter((file) => !sharedSources.includes(file)),
      [],
    )
  }
  const wrong = files.flatMap((file) =>
    [...textOf(file).matchAll(/^(?:import|export)\s(?!type\s)[^'"]*?from\s'([^']*\/src\/[^']+)'/gm)].map(
      (match) => `${file}: ${match[1]}`,
    ),
  )
  assert.deepEqual(
    wrong.filter((each) => !sharedSources.some((shared) => each.endsWith(shared))),
    [],
  )
  assert.deepEqual(
    files.filter((file) => /import\([^)]*\/src\//.test(textOf(file).replace(/typeof import\([^)]*\)/g, ''))),
    [],
  )
})

test('nothing turns text into markup or code', () => {
  const forbidden =
    /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcDoc/
  assert.deepEqual(
    files.filter((file) => forbidden.test(textOf(file))),
    [],
  )
})

test('nothing is loaded from elsewhere', () => {
  const styles = globSync('**/*.{css,html}', { cwd: folder })
  assert.deepEqual(
    [...files, ...styles].filter((file) => /(?:src|href|url\(|fetch\()\s*=?\s*["'(]*https?:\/\//.test(textOf(file))),
    [],
  )
})

const tokens = textOf('style/tokens.css')
function colour(name: string, dark: boolean): [number, number, number] {
  const [, light, other] = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(tokens)!
  const hex = dark ? other! : light!
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as [number, number, number]
}
function luminance(rgb: readonly number[]): number {
  const [r, g, b] = rgb.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

test('every colour of text can be read on every surface it stands on', () => {
  const low: string[] = []
  const texts = ['text', 'muted', 'accent', 'critical', 'high', 'medium', 'low', 'info', 'ok']
  const soft: [string, string][] = [
    ['critical', 'bad-soft'],
    ['text', 'bad-soft'],
    ['text', 'warn-soft'],
    ['medium', 'warn-soft'],
    ['text', 'ok-soft'],
    ['ok', 'ok-soft'],
    ['on-accent', 'accent'],
    ['on-float', 'float'],
  ]
  const pairs = [
    ...texts.flatMap((text) => ['page', 'surface', 'soft', 'hover'].map((under): [string, string] => [text, under])),
    ...soft,
  ]
  for (const dark of [false, true]) {
    for (const [text, under] of pairs) {
      const [a, b] = [luminance(colour(text, dark)), luminance(colour(under, dark))]
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      if (contrast < 4.5) low.push(`${text} on ${under}, ${dark ? 'dark' : 'light'}: ${contrast.toFixed(2)}`)
    }
  }
  assert.deepEqual(low, [])
})
