import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import packageJson from '../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')
const pack = promisify(gzip)

/** `gatehouse` on the public registry is somebody else's package, so this has a scope, and is installed by its address. */
const manifest = {
  name: '@gatehouse/cli',
  version: packageJson.version,
  description: 'Client of Gatehouse: uploads scans, asks the firewall',
  license: packageJson.license,
  private: true,
  bin: { gatehouse: 'gatehouse.mjs' },
  engines: { node: '>=20' },
}

/** The client as a package that npm installs: its own files without dependencies, of the same version as the server. */
export async function buildClientPackage(): Promise<Buffer> {
  const program = await bundle()
  return pack(
    tar({
      'package/package.json': { content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), mode: 0o644 },
      'package/LICENSE': { content: readFileSync(join(root, 'LICENSE')), mode: 0o644 },
      ...Object.fromEntries(
        program.map(({ name, content }) => [
          `package/${name}`,
          { content, mode: name === manifest.bin.gatehouse ? 0o755 : 0o644 },
        ]),
      ),
    }),
  )
}

/** The first file has the command line and nothing else, so that it starts at once; each command loads the files it needs. */
async function bundle(): Promise<{ name: string; content: Buffer }[]> {
  // Loaded here: a server that nobody asks for the client needs no bundler.
  const { build, stop } = await import('esbuild')
  try {
    const { outputFiles } = await build({
      entryPoints: { gatehouse: join(root, 'src/cli/client-main.ts') },
      bundle: true,
      splitting: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      minify: true,
      keepNames: true,
      legalComments: 'eof',
      outdir: root,
      outExtension: { '.js': '.mjs' },
      // Libraries in CommonJS call `require`, which modules do not have.
      banner: {
        js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
      },
      write: false,
      logLevel: 'silent',
    })
    return outputFiles.map(({ path, contents }) => ({ name: basename(path), content: Buffer.from(contents) }))
  } finally {
    await stop()
  }
}

const blockBytes = 512

/** POSIX.1-1988 ustar: a header of 512 bytes for each file, its content filled up to whole blocks, two empty blocks. */
function tar(files: Record<string, { content: Buffer; mode: number }>): Buffer {
  const parts = Object.entries(files).flatMap(([name, { content, mode }]) => [
    header(name, content.length, mode),
    content,
    Buffer.alloc(-content.length & (blockBytes - 1)),
  ])
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)])
}

function header(name: string, size: number, mode: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(name, 0)
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(0, 11), 136)
  // The sum counts its own eight bytes as spaces.
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)} `, 148)
  return block
}
