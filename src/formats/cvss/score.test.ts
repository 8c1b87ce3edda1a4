import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreVector } from './score.ts'

/** Published with the specifications, their examples and their calculators. */
const published: [vector: string, score: number, rating: string][] = [
  // v2 guide, section 3.3: CVE-2002-0392, CVE-2003-0818, CVE-2003-0062.
  ['AV:N/AC:L/Au:N/C:N/I:N/A:C', 7.8, 'high'],
  ['AV:N/AC:L/Au:N/C:C/I:C/A:C', 10, 'high'],
  ['AV:L/AC:H/Au:N/C:C/I:C/A:C', 6.2, 'medium'],
  ['(AV:A/AC:M/Au:M/C:P/I:C/A:P)', 5.9, 'medium'],
  ['AV:L/AC:H/Au:M/C:N/I:N/A:P', 0.8, 'low'],
  ['AV:L/AC:L/Au:S/C:N/I:N/A:N', 0, 'info'],
  // v3 examples: CVE-2013-1937, CVE-2013-0375, CVE-2014-3566, CVE-2012-1516, CVE-2012-0384, CVE-2014-0160, CVE-2014-6271.
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1, 'medium'],
  ['CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4, 'medium'],
  ['CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1, 'low'],
  ['CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H', 9.9, 'critical'],
  ['CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H', 8.8, 'high'],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 7.5, 'high'],
  ['CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8, 'critical'],
  ['CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:C/C:H/I:H/A:L', 9, 'critical'],
  ['CVSS:3.1/AV:N/AC:L/PR:L/UI:R/S:U/C:H/I:H/A:H', 8, 'high'],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H/E:U/RL:O', 10, 'critical'],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:N', 0, 'info'],
  // v4: the vectors that calculators are checked with.
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 10, 'critical'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3, 'critical'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:L/VI:H/VA:L/SC:N/SI:H/SA:L', 9.2, 'critical'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:L/VI:L/VA:L/SC:H/SI:N/SA:L', 7.8, 'high'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:P/VC:L/VI:N/VA:L/SC:N/SI:H/SA:N', 6.3, 'medium'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:A/VC:H/VI:H/VA:N/SC:N/SI:L/SA:L', 8.5, 'high'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:L/UI:N/VC:N/VI:H/VA:H/SC:N/SI:N/SA:L', 7.2, 'high'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:L/UI:P/VC:H/VI:L/VA:L/SC:L/SI:L/SA:L', 7, 'high'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:L/UI:A/VC:H/VI:H/VA:H/SC:H/SI:N/SA:H', 9.3, 'critical'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:H/UI:A/VC:L/VI:N/VA:N/SC:H/SI:N/SA:H', 6, 'medium'],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:N/VA:N/SC:L/SI:L/SA:L', 8.2, 'high'],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:N/VI:L/VA:L/SC:H/SI:L/SA:L', 7, 'high'],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:A/VC:N/VI:N/VA:N/SC:L/SI:N/SA:N', 2.1, 'low'],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:L/UI:A/VC:H/VI:H/VA:L/SC:L/SI:L/SA:L', 7.3, 'high'],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:H/UI:A/VC:N/VI:L/VA:L/SC:L/SI:N/SA:N', 1.8, 'low'],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:H/UI:A/VC:L/VI:N/VA:L/SC:L/SI:H/SA:N', 4.3, 'medium'],
  ['CVSS:4.0/AV:N/AC:H/AT:N/PR:L/UI:A/VC:L/VI:L/VA:L/SC:H/SI:H/SA:H', 5.2, 'medium'],
  ['CVSS:4.0/AV:N/AC:H/AT:N/PR:H/UI:A/VC:N/VI:N/VA:N/SC:N/SI:H/SA:N', 4, 'medium'],
  ['CVSS:4.0/AV:N/AC:H/AT:N/PR:H/UI:P/VC:L/VI:N/VA:L/SC:N/SI:N/SA:H', 4.3, 'medium'],
  ['CVSS:4.0/AV:N/AC:H/AT:P/PR:N/UI:N/VC:H/VI:H/VA:N/SC:N/SI:N/SA:L', 9.1, 'critical'],
  ['CVSS:4.0/AV:N/AC:H/AT:P/PR:N/UI:N/VC:N/VI:L/VA:N/SC:L/SI:H/SA:L', 7, 'high'],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N', 0, 'info'],
]

for (const [vector, score, rating] of published) {
  test(`${vector} scores ${score}`, () => {
    const scored = scoreVector(vector)
    assert.deepEqual([scored?.score, scored?.rating], [score, rating])
  })
}

test('what is not a whole vector has no score', () => {
  const wrong = [
    '',
    'HIGH',
    '7.5',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:X/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:constructor/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:Z',
    'CVSS:5.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'AV:N/AC:L/Au:N/C:N/I:N',
  ]
  for (const vector of wrong) assert.equal(scoreVector(vector), undefined, vector)
})

test('a milder value of any base metric never makes a v4 score worse', () => {
  const order = {
    AV: 'NALP',
    AC: 'LH',
    AT: 'NP',
    PR: 'NLH',
    UI: 'NPA',
    VC: 'HLN',
    VI: 'HLN',
    VA: 'HLN',
    SC: 'HLN',
    SI: 'HLN',
    SA: 'HLN',
  }
  const names = Object.keys(order) as (keyof typeof order)[]
  const walk = (chosen: Record<string, string>): string =>
    `CVSS:4.0/${names.map((name) => `${name}:${chosen[name]}`).join('/')}`
  let seed = 7
  const random = (sides: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 65_536) % sides
  }
  for (let round = 0; round < 3_000; round++) {
    const chosen = Object.fromEntries(names.map((name) => [name, order[name][random(order[name].length)]!]))
    const name = names[random(names.length)]!
    const milder = order[name][order[name].indexOf(chosen[name]!) + 1]
    if (!milder) continue
    const before = scoreVector(walk(chosen))!.score
    const after = scoreVector(walk({ ...chosen, [name]: milder }))!.score
    assert.ok(after <= before, `${walk(chosen)} ${before}, ${name}:${milder} ${after}`)
  }
})
