import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cell, csvLine } from './csv.ts'

const cells: [cell: Cell, written: string][] = [
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', `"'=1+1"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  [' =1', `"' =1"`],
  ['\u200b=1', `"'\u200b=1"`],
  ['＝1', `"'＝1"`],
  ['a=1', 'a=1'],
  [-5, '-5'],
  [['CWE-1', 'CWE-2'], 'CWE-1 CWE-2'],
  [['-x'], `"'-x"`],
  [null, ''],
]

for (const [cell, written] of cells) {
  test(`a cell of CSV: ${JSON.stringify(cell)}`, () => assert.equal(csvLine([cell]), `${written}\r\n`))
}
