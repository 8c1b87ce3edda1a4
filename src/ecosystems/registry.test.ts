import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EcosystemId, ecosystemIds } from './ecosystem.ts'
import { ecosystems, findEcosystem, findOsvEcosystem, fromPurl, toPurl } from './registry.ts'

test('every id has its ecosystem, found by its id, its OSV name and its purl type', () => {
  assert.deepEqual(Object.keys(ecosystems).sort(), [...ecosystemIds].sort())
  const purlPaths: Partial<Record<EcosystemId, string>> = { maven: 'group/name', swiftpm: 'host/group/name' }
  for (const id of ecosystemIds) {
    const ecosystem = ecosystems[id]
    assert.equal(ecosystem.id, id)
    assert.equal(findEcosystem(id), ecosystem)
    assert.equal(fromPurl(`pkg:${ecosystem.purlType}/${purlPaths[id] ?? 'name'}@1`)?.ecosystem, ecosystem)
    if (ecosystem.osvName) assert.equal(findOsvEcosystem(ecosystem.osvName), ecosystem)
  }
})

test('other names for an ecosystem, and names that are none', () => {
  assert.equal(findEcosystem('mix'), ecosystems.hex)
  assert.equal(findOsvEcosystem('Maven:https://repo.example/releases'), ecosystems.maven)
  for (const id of ['opam', 'no_package_manager', 'NPM', '', 'constructor'])
    assert.equal(findEcosystem(id), undefined, id)
  for (const name of ['Debian:12', 'crates', '', 'undefined']) assert.equal(findOsvEcosystem(name), undefined, name)
})

test('names are stored in one spelling', () => {
  const table: [keyof typeof ecosystems, string, string][] = [
    ['pypi', 'Zope.Interface', 'zope-interface'],
    ['pypi', 'ruamel__yaml._.x', 'ruamel-yaml-x'],
    ['npm', '@Scope/JSONStream', '@Scope/JSONStream'],
    ['gomod', 'github.com/Masterminds/semver/v3', 'github.com/Masterminds/semver/v3'],
    ['nuget', 'Newtonsoft.Json', 'newtonsoft.json'],
    ['composer', 'Laravel/Framework', 'laravel/framework'],
    ['maven', 'org.Apache:Commons-io', 'org.Apache:Commons-io'],
    ['cargo', 'serde_json', 'serde_json'],
    ['gem', 'RedCloth', 'RedCloth'],
    ['hex', 'Phoenix_HTML', 'phoenix_html'],
    ['cocoapods', 'Firebase/Core', 'Firebase/Core'],
    ['swiftpm', 'https://user@GitHub.com/Alamofire/Alamofire.git', 'github.com/alamofire/alamofire'],
    ['swiftpm', 'git@github.com:apple/swift-nio.git', 'github.com/apple/swift-nio'],
    ['swiftpm', 'github.com/apple/swift-nio/', 'github.com/apple/swift-nio'],
    ['deb', 'debian/libC6', 'libc6'],
    ['apk', 'alpine/musl', 'musl'],
    ['rpm', 'redhat/ImageMagick', 'ImageMagick'],
    ['generic', 'Acme Firmware', 'acme firmware'],
  ]
  for (const [id, written, stored] of table) {
    assert.equal(ecosystems[id].normalizeName(written), stored)
    assert.equal(ecosystems[id].normalizeName(stored), stored, 'a stored name stays as it is')
  }
})

test('parts of names are looked for in that spelling', () => {
  const table: [keyof typeof ecosystems, string, string][] = [
    ['pypi', 'Typing__', 'typing-'],
    ['pypi', '._ext', '-ext'],
    ['maven', 'Apache/Comm', 'apache:comm'],
    ['nuget', 'Soft.J', 'soft.j'],
    ['npm', 'Scope/JSON_', 'scope/json_'],
    ['swiftpm', 'https://GitHub.com/Alamofire/Ala', 'github.com/alamofire/ala'],
    ['swiftpm', 'git@github.com:apple/swift-nio.git', 'github.com/apple/swift-nio'],
    ['swiftpm', 'Apple/', 'apple/'],
    ['swiftpm', '@babel/core', '@babel/core'],
    ['deb', 'Types/node', 'types/node'],
  ]
  for (const [id, typed, spelled] of table) assert.equal(ecosystems[id].normalizePart(typed), spelled, typed)
})

test('a package and its purl make each other', () => {
  const table: [keyof typeof ecosystems, name: string, version: string | undefined, purl: string][] = [
    ['npm', '@angular/core', '17.0.0', 'pkg:npm/%40angular/core@17.0.0'],
    ['npm', 'left-pad', undefined, 'pkg:npm/left-pad'],
    ['pypi', 'django-package', '1.11.1+local', 'pkg:pypi/django-package@1.11.1%2Blocal'],
    ['maven', 'org.apache.commons:io', '1.3.4', 'pkg:maven/org.apache.commons/io@1.3.4'],
    ['gomod', 'github.com/Masterminds/semver/v3', 'v3.2.0', 'pkg:golang/github.com/Masterminds/semver/v3@v3.2.0'],
    ['maven', 'react-native-fs', '2.0', 'pkg:maven/react-native-fs@2.0'],
    ['gomod', 'stdlib', '1.21.0', 'pkg:golang/stdlib@1.21.0'],
    ['composer', 'laravel/framework', 'v10.0.0', 'pkg:composer/laravel/framework@v10.0.0'],
    ['swiftpm', 'github.com/Alamofire/Alamofire', '5.4.3', 'pkg:swift/github.com/Alamofire/Alamofire@5.4.3'],
    ['cocoapods', 'GoogleUtilities/NSData+zlib', '7.5.2', 'pkg:cocoapods/GoogleUtilities@7.5.2#NSData%2Bzlib'],
    ['hex', 'acme/foo', '2.3.0', 'pkg:hex/acme/foo@2.3.0'],
    ['nuget', 'Newtonsoft.Json', '13.0.1', 'pkg:nuget/Newtonsoft.Json@13.0.1'],
    ['generic', 'vendor/firmware', '7', 'pkg:generic/vendor/firmware@7'],
  ]
  for (const [id, name, version, purl] of table) {
    assert.equal(toPurl(id, name, version), purl)
    assert.deepEqual(fromPurl(purl), { ecosystem: ecosystems[id], name, version })
  }
})

test('what names no package of ours gives nothing', () => {
  const none = [
    'pkg:pypi/namespace/django@1',
    'pkg:swift/Alamofire@5',
    'npm/left-pad',
    '',
    'pkg:npm/%zz@1',
    'pkg:maven/@1',
    'pkg:maven/group/@1',
    'pkg:maven/%20@1',
    'pkg:npm/@1',
    'pkg:golang/@x/y',
  ]
  for (const purl of none) assert.equal(fromPurl(purl), undefined, purl)
  assert.equal(toPurl('maven', 'group:', '1'), undefined)
  assert.equal(toPurl('swiftpm', 'Alamofire', '1'), undefined)
  assert.equal(toPurl('npm', '', '1'), undefined)
})

test('the unencoded scope that many tools write is understood', () => {
  assert.equal(fromPurl('pkg:npm/@angular/core@17.0.0')?.name, '@angular/core')
  assert.equal(fromPurl('pkg:npm/@angular/core')?.name, '@angular/core')
})

test('purls whose version is not where it should be', () => {
  const table: [purl: string, id: EcosystemId, name: string, version: string | undefined][] = [
    ['pkg:nuget/Name%401.0', 'nuget', 'Name', '1.0'],
    ['pkg:nuget/Name%401.0@1.0', 'nuget', 'Name', '1.0'],
    ['pkg:npm/%40scope/name%401.0', 'npm', '@scope/name', '1.0'],
    ['pkg:npm/%40scope%2Fname@1.0', 'npm', '@scope/name', '1.0'],
    ['pkg:maven/group/name%401.0', 'maven', 'group:name', '1.0'],
    ['pkg:generic/user%40host@2', 'generic', 'user@host', '2'],
    ['pkg:rpm/redhat/bash@5.1-6.el9?arch=x86_64&epoch=1', 'rpm', 'bash', '1:5.1-6.el9'],
    ['pkg:rpm/redhat/bash@1:5.1-6.el9?epoch=1', 'rpm', 'bash', '1:5.1-6.el9'],
    ['pkg:rpm/redhat/bash@5.1-6.el9?epoch=0', 'rpm', 'bash', '5.1-6.el9'],
    ['pkg:deb/debian/vim@9.0-1?epoch=2', 'deb', 'vim', '2:9.0-1'],
    ['pkg:deb/debian/curl@7.50.3-1?arch=i386&distro=jessie', 'deb', 'curl', '7.50.3-1'],
    ['pkg:apk/alpine/musl@1.2.3-r4?arch=x86_64', 'apk', 'musl', '1.2.3-r4'],
  ]
  for (const [purl, id, name, version] of table) {
    assert.deepEqual(fromPurl(purl), { ecosystem: ecosystems[id], name, version }, purl)
  }
})
