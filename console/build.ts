import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { Metafile } from 'esbuild'

const root = join(import.meta.dirname, '..')
const source = import.meta.dirname
const cache = join(root, 'node_modules', '.cache', 'gatehouse-console')
/** Where a published package carries the console, built. It has no sources, so that nobody is shown an old state of them. */
export const carried: string = join(root, 'console-built')
/** What the console takes from the server besides types: they import nothing but types and one another. */
export const sharedSources: readonly string[] = [
  'src/domain/package-clients.ts',
  'src/domain/sources.ts',
  'src/kernel/access/package-scope.ts',
  'src/kernel/time/readable-age.ts',
  'src/capabilities/firewall/rules/release-facts.ts',
  'src/capabilities/firewall/rules/rule.ts',
  'src/capabilities/firewall/rules/rule-sentence.ts',
]
const pack = promisify(gzip)
const packTighter = promisify(brotliCompress)

/**
 * The folder with the console as a browser takes it: index.html, and assets with their hash in the name, each also
 * packed as .br and .gz. Built once for each state of the sources and the lockfile.
 */
export async function buildConsole(): Promise<{ folder: string }> {
  if (!existsSync(join(source, 'main.tsx'))) return { folder: carried }
  const folder = join(cache, await hashOfSources())
  if (!existsSync(join(folder, 'index.html'))) await buildInto(folder)
  return { folder }
}

async function hashOfSources(): Promise<string> {
  const files = globSync('**/*.{ts,tsx,css,html,svg}', { cwd: source }).filter(
    (file) => !/\.test\.ts$|^test\//.test(file),
  )
  const taken = [...sharedSources, 'package-lock.json']
  const hash = createHash('sha256')
  for (const file of [...files.sort().map((each) => join(source, each)), ...taken.map((each) => join(root, each))]) {
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(await readFile(file))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 24)
}

/** Into a folder beside it first, so that a half-built one is never taken for a whole one. */
async function buildInto(folder: string): Promise<void> {
  // Loaded here: a server whose console is built needs no bundler.
  const { build, stop } = await import('esbuild')
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(join(cache, 'draft-'))
  try {
    const common = {
      outdir: draft,
      outbase: source,
      entryNames: 'assets/[name]-[hash]',
      chunkNames: 'assets/[name]-[hash]',
      assetNames: 'assets/[name]-[hash]',
      publicPath: '/',
      bundle: true,
      target: 'es2022',
      jsx: 'automatic',
      minify: true,
      legalComments: 'none',
      loader: { '.woff2': 'file', '.svg': 'copy' },
      define: { 'process.env.NODE_ENV': '"production"' },
      metafile: true,
      write: false,
      logLevel: 'silent',
    } as const
    const entries = (...files: string[]) => files.map((file) => join(source, file))
    const pages = entries('main.tsx', 'style/console.css', 'icon.svg')
    const built = await Promise.all([
      build({ ...common, entryPoints: pages, format: 'esm', splitting: true }),
      // Not a module: those wait until the page is read, and this has to be done before the first paint.
      build({ ...common, entryPoints: entries('theme.ts'), format: 'iife' }),
    ])
    // Its helper process would otherwise stay for as long as the server runs.
    await stop()
    const outputFiles = built.flatMap((each) => each.outputFiles)
    const metafile: Metafile = {
      inputs: Object.assign({}, ...built.map((each) => each.metafile.inputs)),
      outputs: Object.assign({}, ...built.map((each) => each.metafile.outputs)),
    }
    await mkdir(join(draft, 'assets'))
    await Promise.all(outputFiles.map((file) => writePacked(file.path, file.contents)))
    const template = await readFile(join(source, 'index.html'), 'utf8')
    await writePacked(join(draft, 'index.html'), Buffer.from(pageOf(template, metafile, draft)))
    await writeFile(join(draft, 'metafile.json'), JSON.stringify(metafile))
    await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
      // Another process was faster; what it built is the same.
      if (!existsSync(join(folder, 'index.html'))) throw error
      await rm(draft, { recursive: true, force: true })
    })
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function writePacked(file: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  if (file.endsWith('.woff2')) return
  const params = { [zlib.BROTLI_PARAM_QUALITY]: 9, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeFile(`${file}.br`, await packTighter(content, { params }))
  await writeFile(`${file}.gz`, await pack(content, { level: 9 }))
}

function pageOf(template: string, metafile: Metafile, draft: string): string {
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    address: addressIn(draft, path),
    output,
  }))
  const address = (wanted: RegExp) => {
    const found = outputs.find((each) => wanted.test(each.address))
    if (!found) throw new Error(`The build made nothing like ${wanted}.`)
    return found.address
  }
  const main = outputs.find((each) => each.output.entryPoint?.endsWith('main.tsx'))!
  const parts = main.output.imports
    .filter((each) => each.kind === 'import-statement')
    .map((each) => addressIn(draft, each.path))
  const values: Record<string, string> = {
    icon: address(/icon-.*\.svg$/),
    style: address(/console-.*\.css$/),
    theme: address(/theme-.*\.js$/),
    fonts: [/inter-.*\.woff2$/, /jetbrains-.*\.woff2$/]
      .map((font) => `<link rel="preload" href="${address(font)}" as="font" type="font/woff2" crossorigin>`)
      .join('\n'),
    modules: [
      ...parts.map((part) => `<link rel="modulepreload" href="${part}">`),
      `<script type="module" src="${main.address}"></script>`,
    ].join('\n'),
  }
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
}

/** esbuild names its outputs by their path from where it runs. */
function addressIn(draft: string, path: string): string {
  return `/${relative(draft, resolve(path))}`
}

if (import.meta.main) console.log((await buildConsole()).folder)
