import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { deploy, root, run, without } from './programs.ts'

const chart = join(deploy, 'helm/gatehouse')
const skip = without('helm', 'go install helm.sh/helm/v4/cmd/helm@v4.3.1')
const everything = [
  'existingSecret=keys',
  'ingress.enabled=true',
  'ingress.tlsSecret=tls',
  'ingress.className=nginx',
  'serviceMonitor.enabled=true',
  'settings.GATEHOUSE_URL=https://gatehouse.example.com',
  'settings.GATEHOUSE_FEED_MINUTES=30',
  'persistence.storageClass=fast',
  'imagePullSecrets[0].name=registry',
  'image.digest=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  'service.type=LoadBalancer',
  'service.port=8443',
  'startupMinutes=90',
  'serviceMonitor.labels.release=monitoring',
  'podAnnotations.team=security',
  'extraVolumes[0].name=authority',
  'extraVolumes[0].configMap.name=our-authority',
  'extraVolumeMounts[0].name=authority',
  'extraVolumeMounts[0].mountPath=/etc/gatehouse',
  'extraVolumeMounts[0].readOnly=true',
  'nodeSelector.disk=ssd',
  'tolerations[0].operator=Exists',
  'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight=1',
  'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchFields[0].key=metadata.name',
  'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchFields[0].operator=In',
  'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchFields[0].values={one}',
]

/** The oldest that the chart says it is for. A helm that was built from source takes one of 2020 otherwise. */
const kubernetes = ['--kube-version', '1.27.0']

type Manifest = { apiVersion: string; kind: string; metadata: { name: string; labels: object }; spec: never }

function render(settings: string[]): Manifest[] {
  const { status, stdout, said } = run('helm', [
    'template',
    'demo',
    chart,
    ...kubernetes,
    ...settings.flatMap((one) => ['--set', one]),
  ])
  assert.equal(status, 0, said)
  return parseAllDocuments(stdout)
    .map((document) => document.toJS())
    .filter(Boolean)
}

test('the chart is of this version', () => {
  const { version, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))
  assert.deepEqual([version, appVersion], [packageJson.version, packageJson.version])
})

test('a process that starts is left alone for longer than a migration may wait for a backup', () => {
  // An hour.
  assert.ok(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')).startupMinutes > 60)
  const [, probe] = readFileSync(join(chart, 'templates/statefulset.yaml'), 'utf8').split('startupProbe:')
  assert.match(
    probe!,
    /^\s+httpGet:.*\s+periodSeconds: 5\s+.*\s+failureThreshold: \{\{ mul \.Values\.startupMinutes 12 \}\}/,
  )
})

test('helm takes the chart, and refuses one without a secret or with a setting that is none', { skip }, () => {
  const linted = run('helm', ['lint', '--strict', ...kubernetes, chart, '--set', 'existingSecret=keys'])
  assert.equal(linted.status, 0, linted.said)
  for (const [wrong, says] of [
    ['replicas=2', /existingSecret is required/],
    ['existingSecret=keys,replica=3', /replica/],
    ['existingSecret=keys,image.digest=latest', /digest/],
    ['existingSecret=keys,settings.lower=x', /lower/],
    // The probes and the Service would look for it at another port, and the Secret has the others.
    ['existingSecret=keys,settings.PORT=9000', /PORT/],
    ['existingSecret=keys,settings.GATEHOUSE_KEY=x', /GATEHOUSE_KEY/],
    ['existingSecret=keys,persistence.size=much', /size/],
    ['existingSecret=keys,startupMinutes=0', /startupMinutes/],
    ['existingSecret=keys,podAnnotations.weight=3', /podAnnotations/],
    ['existingSecret=keys,ingress.annotations.limit=0', /annotations/],
    // The data folder would be hidden, or be another one.
    ['existingSecret=keys,extraVolumes[0].name=data', /extraVolumes/],
    ['existingSecret=keys,extraVolumeMounts[0].name=a,extraVolumeMounts[0].mountPath=/tmp', /extraVolumeMounts/],
    ['existingSecret=keys,extraVolumeMounts[0].name=a,extraVolumeMounts[0].mountPath=relative', /extraVolumeMounts/],
  ] as const) {
    const { status, said } = run('helm', ['template', 'demo', chart, ...kubernetes, '--set', wrong])
    assert.notEqual(status, 0, wrong)
    assert.match(said, says)
  }
})

test('processes run without rights, end in peace, and go one at a time', { skip }, () => {
  const manifests = render(everything)
  // biome-ignore lint/suspicious/noExplicitAny: a manifest has any shape
  const of = (kind: string): any => manifests.find((each) => each.kind === kind)
  const { template } = of('StatefulSet').spec
  const [container] = template.spec.containers
  assert.match(container.image, /^gatehouse@sha256:/)
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  assert.ok(template.spec.securityContext.runAsNonRoot && !template.spec.automountServiceAccountToken)
  assert.deepEqual(
    ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path),
    ['/api/health-check', '/api/health-check', '/api/readiness-check'],
  )
  const { periodSeconds, failureThreshold } = container.startupProbe
  assert.equal(periodSeconds * failureThreshold, 90 * 60)
  // Longer than the pause, the 35 seconds of a request and the 40 of a job.
  assert.ok(template.spec.terminationGracePeriodSeconds >= 80)
  assert.equal(of('PodDisruptionBudget').spec.maxUnavailable, 1)
  assert.deepEqual(of('PodDisruptionBudget').spec.selector.matchLabels, of('StatefulSet').spec.selector.matchLabels)
  const named = ({ name }: { name: string }) => name === 'authority'
  assert.deepEqual(container.volumeMounts.find(named), {
    name: 'authority',
    mountPath: '/etc/gatehouse',
    readOnly: true,
  })
  assert.deepEqual(template.spec.volumes.find(named), { name: 'authority', configMap: { name: 'our-authority' } })
  const values = container.env.map(({ name, value }: { name: string; value: string }) => [name, value])
  assert.deepEqual(values.slice(2), [
    ['GATEHOUSE_FEED_MINUTES', '30'],
    ['GATEHOUSE_URL', 'https://gatehouse.example.com'],
  ])
})

test('settings reach the process as they are written in a values file, and names stay text', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-values-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const values = join(folder, 'values.yaml')
  const settings =
    'GATEHOUSE_CACHE_BYTES: 107374182400, OTEL_TRACES_SAMPLER_ARG: 0.05, GATEHOUSE_OPEN_OSV: true, A: "007"'
  const secret = 'existingSecret: "1234"'
  const ingress = 'ingress: { enabled: true, className: "true", tlsSecret: "5", host: "*.example.com" }'
  const monitor = 'serviceMonitor: { enabled: true, labels: { release: monitoring } }'
  writeFileSync(values, [secret, `settings: { ${settings} }`, ingress, monitor].join('\n'))
  const { status, stdout, said } = run('helm', ['template', 'demo', chart, ...kubernetes, '--values', values])
  assert.equal(status, 0, said)
  // biome-ignore lint/suspicious/noExplicitAny: a manifest has any shape
  const manifests: any[] = parseAllDocuments(stdout).map((document) => document.toJS())
  const of = (kind: string) => manifests.find((each) => each?.kind === kind)
  const [{ env, envFrom }] = of('StatefulSet').spec.template.spec.containers
  assert.deepEqual(envFrom, [{ secretRef: { name: '1234' } }])
  assert.deepEqual(env.slice(2), [
    { name: 'A', value: '007' },
    { name: 'GATEHOUSE_CACHE_BYTES', value: '107374182400' },
    { name: 'GATEHOUSE_OPEN_OSV', value: 'true' },
    { name: 'OTEL_TRACES_SAMPLER_ARG', value: '0.05' },
  ])
  assert.deepEqual(of('Ingress').spec.tls, [{ hosts: ['*.example.com'], secretName: '5' }])
  assert.deepEqual([of('Ingress').spec.ingressClassName, of('Ingress').spec.rules[0].host], ['true', '*.example.com'])
  assert.equal(of('ServiceMonitor').metadata.labels.release, 'monitoring')
})

test('what it makes is what Kubernetes takes, and has no field that it does not know', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const folder = await kubernetesModels(t)
  if (!folder) return t.skip('the schemas of Kubernetes could not be installed from npm')
  const manifests = [['existingSecret=keys'], everything].flatMap(render)
  assert.equal(manifests.length, 4 + 6)
  const [unset] = manifests.filter(({ kind }) => kind === 'StatefulSet')
  assert.match(JSON.stringify(unset), new RegExp(`"image":"gatehouse:${packageJson.version}"`))
  for (const manifest of manifests) {
    const model = await import(pathToFileURL(join(folder, modelOf(manifest))).href)
    new model[manifest.kind](manifest).validate()
  }
  // The schemas let unknown fields pass. A compiler does not, where it is given the value as a literal.
  const typed = manifests.map((manifest, at) => {
    const type = `import('./${modelOf(manifest)}').I${manifest.kind}`
    return `export const manifest${at}: ${type} = ${JSON.stringify(manifest)}\n`
  })
  writeFileSync(join(folder, 'manifests.ts'), typed.join(''))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler']
  const compiled = run(join(root, 'node_modules/.bin/tsc'), [...options, 'manifests.ts'], { cwd: folder })
  assert.equal(compiled.status, 0, compiled.said)
})

/** The file of the package with the schema of a kind. */
function modelOf({ apiVersion, kind }: Manifest): string {
  const isOperators = apiVersion.startsWith('monitoring.coreos.com/')
  const name = isOperators ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'
  return `node_modules/${name}/${apiVersion}/${kind}.js`
}

/** A folder with the published schemas of Kubernetes and of the Prometheus operator. */
async function kubernetesModels(t: TestContext): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-kubernetes-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const packages = ['kubernetes-models@5.1.0', '@kubernetes-models/prometheus-operator@6.0.0']
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', ...packages]
  try {
    await promisify(execFile)('npm', install, { cwd: folder, timeout: 240_000 })
    return folder
  } catch {
    return undefined
  }
}
