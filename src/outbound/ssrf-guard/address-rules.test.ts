import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createAddressRules } from './address-rules.ts'

const rules = createAddressRules('')

/** First and last address of every range, and the neighbours outside where those are public. */
const table: [word: string | undefined, addresses: string][] = [
  [undefined, '1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 223.255.255.255'],
  ['unspecified', '0.0.0.0 0.0.0.1 0.255.255.255 ::'],
  ['private', '10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255'],
  [undefined, '172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0'],
  ['carrier-grade NAT', '100.64.0.0 100.127.255.255'],
  [undefined, '100.63.255.255 100.128.0.0'],
  ['loopback', '127.0.0.0 127.0.0.1 127.255.255.255 ::1'],
  [undefined, '126.255.255.255 128.0.0.0'],
  ['link-local', '169.254.0.0 169.254.169.253 169.254.255.255'],
  ['metadata', '169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192'],
  [undefined, '169.253.255.255 169.255.0.0 168.63.129.15'],
  ['reserved', '192.0.0.0 192.0.0.255 192.88.99.0 192.88.99.255 240.0.0.0 255.255.255.254'],
  ['documentation', '192.0.2.0 192.0.2.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255'],
  [undefined, '192.0.1.0 192.0.3.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0'],
  ['benchmarking', '198.18.0.0 198.19.255.255'],
  [undefined, '198.17.255.255 198.20.0.0'],
  ['multicast', '224.0.0.0 239.255.255.255 ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['broadcast', '255.255.255.255'],
  [undefined, '2600:: 2606:4700:4700::1111 2a00:1450:4001:80b::200e 2001:4860:4860::8888 2001:200::'],
  ['private', 'fc00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fec0::1 feff::1'],
  ['metadata', 'fd00:ec2::254 fd00:0ec2:0:0:0:0:0:0254 fd00:ec2::23 fd20:ce::254'],
  ['link-local', 'fe80:: fe80::1 febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff:fff::1'],
  ['reserved', '2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff 2001:20::1'],
  ['reserved', '100:: 64:ff9b:1::1 ::2 ::127.0.0.1 ::8.8.8.8 4000:: 5f00::1 fe00::1 1::1 ::ffff:0:808:808'],
  ['unreadable', 'fe80::1%eth0 localhost 1.2.3 1.2.3.4.5 0x7f.0.0.1 2130706433 [::1] 127.1'],
]

for (const [word, addresses] of table) {
  test(`${word ?? 'public'}: ${addresses}`, () => {
    for (const address of addresses.split(' ')) assert.equal(rules(address), word, address)
  })
}

/** The IPv6 spellings that lead to an IPv4 address. */
const spellings: [name: string, spell: (bytes: number[]) => string][] = [
  ['mapped', (b) => `::ffff:${b.join('.')}`],
  ['mapped, in hexadecimal', (b) => `0:0:0:0:0:FFFF:${words(b)}`],
  ['NAT64', (b) => `64:ff9b::${b.join('.')}`],
  ['6to4', (b) => `2002:${words(b)}::1`],
  ['ISATAP', (b) => `2600:1:2:3:0:5efe:${words(b)}`],
  ['ISATAP, universal', (b) => `2600:1:2:3:200:5efe:${words(b)}`],
]

for (const [name, spell] of spellings) {
  test(`an IPv4 address embedded as ${name} is judged as itself`, () => {
    const octet = fc.nat(255)
    const examples = [
      [169, 254, 169, 254],
      [127, 0, 0, 1],
      [10, 1, 2, 3],
      [8, 8, 8, 8],
      [100, 100, 100, 200],
    ]
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (bytes) => {
        assert.equal(rules(spell(bytes)), rules(bytes.join('.')))
      }),
      { examples: examples.map((bytes) => [bytes as [number, number, number, number]]) },
    )
  })
}

test('the allow-list opens what it names, in every spelling, and nothing else', () => {
  const some = createAddressRules(' 10.20.0.0/16, 127.0.0.1 ,fd12:3456::/32,')
  for (const address of ['10.20.0.0', '10.20.255.255', '127.0.0.1', '::ffff:10.20.1.1', 'fd12:3456::1', '8.8.8.8']) {
    assert.equal(some(address), undefined, address)
  }
  assert.equal(some('10.21.0.0'), 'private')
  assert.equal(some('127.0.0.2'), 'loopback')
  assert.equal(some('::1'), 'loopback')
  assert.equal(some('::ffff:10.21.0.0'), 'private')
  assert.equal(some('fd12:3457::1'), 'private')
})

test('a metadata address is opened only by its own name, never by a range around it', () => {
  const wide = createAddressRules('0.0.0.0/0,::/0')
  assert.equal(wide('10.0.0.1'), undefined)
  assert.equal(wide('::1'), undefined)
  for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '64:ff9b::a9fe:a9fe']) {
    assert.equal(wide(address), 'metadata', address)
  }
  assert.equal(createAddressRules('169.254.169.254')('169.254.169.254'), undefined)
  assert.equal(createAddressRules('fd00:ec2::254/128')('fd00:ec2::254'), undefined)
})

for (const entry of [
  '10.0.0.0/33',
  '10.0.0/8',
  '10.1.2.3/8',
  'fd00::1/8',
  'localhost',
  '*',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '::ffff:10.0.0.0/104',
  '::1%lo',
  '10.0.0.0-10.0.0.9',
]) {
  test(`the allow-list entry ${entry} is refused, by name`, () => {
    assert.throws(
      () => createAddressRules(`127.0.0.1,${entry}`),
      (error: Error) => {
        assert.ok(error.message.includes(`'${entry}'`))
        return true
      },
    )
  })
}

function words([a, b, c, d]: number[]): string {
  return `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`
}
