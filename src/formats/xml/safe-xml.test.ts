import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { child, childText, parseXml } from './safe-xml.ts'

test('elements keep names, prefixes, attributes, text and lines', () => {
  const { value: root } = parseXml(
    '\uFEFF<?xml version="1.0"?>\r\n<!-- c --><p:bom xmlns:p="urn:x" v="1 &amp; 2">\n <a>x &#x41;<![CDATA[&amp;<b>]]> y</a>\n\n <a/><b>&nope;</b></p:bom>\n',
  )
  assert.ok(root)
  assert.equal(root.name, 'bom')
  assert.equal(root.prefix, 'p')
  assert.equal(root.line, 2)
  assert.deepEqual(Object.fromEntries(root.attributes), { 'xmlns:p': 'urn:x', v: '1 & 2' })
  assert.deepEqual(
    root.children.map((one) => [one.name, one.text, one.line]),
    [
      ['a', 'x A&amp;<b> y', 3],
      ['a', '', 5],
      ['b', '&nope;', 5],
    ],
  )
  assert.equal(childText(root, 'b'), '&nope;')
  assert.equal(child(root, 'none'), undefined)
})

const bomb = `<!DOCTYPE z [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><z>&b;</z>`
const refused: [string, string, string, number][] = [
  ['an entity bomb', `<?xml version="1.0"?>\n${bomb}`, 'doctype', 2],
  ['a doctype after a comment', '<!-- <a> -->\n\n<!doctype html><html></html>', 'doctype', 3],
  ['a lower-case declaration inside', '<a><!element b></a>', 'doctype', 1],
  ['deep nesting', '<a>'.repeat(100_000), 'too-deep', 1],
  ['a tag cut off', '<a>\n<b c="', 'truncated', 2],
  ['elements left open', '<a>\n<b></b>\n', 'truncated', 3],
  ['a comment left open', '<a><!-- ', 'truncated', 1],
  ['crossed tags', '<a><b></a></b>', 'malformed-xml', 1],
  ['no element', 'plain text', 'malformed-xml', 1],
  ['nothing', '', 'malformed-xml', 1],
  ['two roots', '<a></a><b></b>', 'malformed-xml', 1],
  ['a bare ampersand', '<a>b & c</a>', 'malformed-xml', 1],
  ['a name that reaches into objects', '<a><__proto__>x</__proto__></a>', 'malformed-xml', 0],
  ['blanks without end in a tag', `<a ${' '.repeat(1_000_000)}></a>`, 'too-large', 1],
  ['an equals sign without a name', `<a ${' '.repeat(1000)}=></a>`, 'malformed-xml', 1],
  ['a text without end', `<a>${'x'.repeat(3_000_000)}</a>`, 'too-large', 1],
]
for (const [what, text, code, line] of refused) {
  test(`refuses ${what}`, () => {
    const { problem } = parseXml(text)
    assert.deepEqual([problem?.code, problem?.line, problem?.fatal], [code, line, true])
    assert.ok((problem?.detail.length ?? 0) < 300)
  })
}

test('the limits can be narrowed', () => {
  assert.equal(parseXml('<a><b/><b/></a>', { maxElements: 2 }).problem?.code, 'too-large')
  assert.equal(parseXml('<a><b/><b/></a>', { maxElements: 3 }).problem, undefined)
  assert.equal(parseXml('<a><b></b></a>', { maxDepth: 1 }).problem?.code, 'too-deep')
})

test('any text ends in a root or a problem', () => {
  const piece = fc.constantFrom(
    '<a',
    '>',
    '</a>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '"',
    "'",
    '=',
    ' b',
    '&',
    ';',
    '<?',
    '?>',
    '/',
    '\n',
    'x',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const result = parseXml(`<r>${pieces.join('')}</r>`)
      assert.notEqual(result.value === undefined, result.problem === undefined)
    }),
  )
})
