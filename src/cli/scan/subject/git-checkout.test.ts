import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repositoryOfUrl } from './git-checkout.ts'

const remotes: [remote: string, repository: string | undefined][] = [
  ['https://git.example.com/shop/checkout.git', 'shop/checkout'],
  ['https://git.example.com/shop/checkout', 'shop/checkout'],
  ['https://git.example.com/shop/checkout/', 'shop/checkout'],
  ['https://someone:secret@git.example.com:8443/a/b/c.git', 'a/b/c'],
  ['ssh://git@git.example.com:22/shop/checkout.git', 'shop/checkout'],
  ['ssh://git@[2001:db8::1]:22/shop/checkout.git', 'shop/checkout'],
  ['git@git.example.com:shop/checkout.git', 'shop/checkout'],
  ['git@git.example.com:/shop/checkout.git', 'shop/checkout'],
  ['git.example.com:shop/checkout', 'shop/checkout'],
  ['git@[2001:db8::1]:shop/checkout.git', 'shop/checkout'],
  ['git://git.example.com/checkout', 'checkout'],
  ['https://me@git.example.com/acme/Web%20Shop/_git/checkout', 'acme/Web Shop/_git/checkout'],
  ['https://git.example.com/shop/100%', 'shop/100%'],
  ['file:///srv/git/checkout.git', undefined],
  ['/srv/git/checkout.git', undefined],
  ['../checkout', undefined],
  ['C:/git/checkout', undefined],
  ['https://git.example.com/', undefined],
]

for (const [remote, repository] of remotes) {
  test(`the repository behind ${remote}`, () => assert.equal(repositoryOfUrl(remote), repository))
}
