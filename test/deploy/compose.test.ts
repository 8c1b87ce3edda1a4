import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { deploy, program, root, run, without } from './programs.ts'

type Service = {
  image: string
  read_only?: boolean
  cap_drop?: string[]
  stop_grace_period?: string
  ports?: string[]
  volumes?: string[]
  environment?: Record<string, string>
}
const files = ['compose.yaml', 'three-processes.yaml']

function servicesIn(file: string): Record<string, Service> {
  return parse(readFileSync(join(deploy, 'compose', file), 'utf8'), { merge: true }).services
}

for (const file of files) {
  test(`${file}: processes have few rights, time to end, a folder of their own, and no secret in the file`, () => {
    const all = Object.entries(servicesIn(file))
    const processes = all.filter(([name]) => name.startsWith('gatehouse'))
    assert.equal(processes.length, file === 'compose.yaml' ? 1 : 3)
    for (const [name, { read_only, cap_drop, stop_grace_period, volumes, environment }] of processes) {
      assert.deepEqual([read_only, cap_drop, stop_grace_period], [true, ['ALL'], '60s'], name)
      assert.deepEqual(volumes, [`${name}:/var/lib/gatehouse`, 'backups:/backups'])
      assert.equal(environment!.GATEHOUSE_BACKUP_FOLDER, '/backups')
      assert.match(environment!.GATEHOUSE_KEY!, /^\$\{GATEHOUSE_KEY:\?/)
    }
    // Reached from this machine alone, until somebody puts TLS before it.
    for (const [name, { ports = [] }] of all) for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name)
  })
}

test('every folder that a process gets a volume for belongs to its user in the image, and so does a new volume', () => {
  const image = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const own = /install -d -m 0700 -o 10001 -g 10001 (.*)$/m.exec(image)![1]!.split(' ')
  assert.match(image, /^USER 10001:10001$/m)
  for (const file of files) {
    for (const [name, { volumes = [] }] of Object.entries(servicesIn(file)))
      if (name.startsWith('gatehouse')) for (const volume of volumes) assert.ok(own.includes(volume.split(':')[1]!))
  }
})

const skip =
  without('podman-compose', 'pip install podman-compose') ||
  without('podman', 'Debian: apt-get install podman') ||
  tooOld()

/** That of Debian 12 does not know the command. */
function tooOld(): string | false {
  const { status } = run('podman-compose', ['config', '--help'])
  return status === 0 ? false : 'this podman-compose cannot check files (pip install podman-compose)'
}

test('podman-compose takes the files, and refuses them without a key', { skip }, () => {
  for (const file of files) {
    const config = (secrets: string[]) =>
      run('env', [...secrets, program('podman-compose')!, '-f', file, 'config'], { cwd: join(deploy, 'compose') })
    const taken = config(['POSTGRES_PASSWORD=x', 'GATEHOUSE_KEY=y'])
    assert.equal(taken.status, 0, taken.said)
    const { services } = parse(taken.stdout.slice(taken.stdout.search(/^(name|networks|services|volumes|x-)/m)))
    assert.deepEqual(Object.keys(services).sort(), Object.keys(servicesIn(file)).sort())
    assert.notEqual(config(['POSTGRES_PASSWORD=x']).status, 0)
  }
})

test('haproxy takes the configuration that comes with it', {
  skip: without('haproxy', 'Debian: apt-get install haproxy'),
}, () => {
  const { status, said } = run('haproxy', ['-c', '-f', join(deploy, 'compose/haproxy.cfg')])
  assert.equal(status, 0, said)
})

test('haproxy asks for the names of processes where the container says, which is not the same in Docker and Podman', () => {
  const lines = readFileSync(join(deploy, 'compose/haproxy.cfg'), 'utf8').split('\n')
  const resolvers = lines.indexOf('resolvers compose')
  assert.equal(lines[resolvers + 1], '  parse-resolv-conf')
  assert.deepEqual(
    lines.filter((line) => line.includes('nameserver')),
    [],
  )
})
