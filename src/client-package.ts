import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
  bin: { gatehouse: 'gatehouse.cjs' },
  engines: { node: '>=20' },
}

/** The client as a package that npm installs: one file without dependencies, of the same version as the server. */
export async function buildClientPackage(): Promise<Buffer> {
  const program = await bundle()
  return pack(
    tar({
      'package/package.json': { content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), mode: 0o644 },
      'package/LICENSE': { content: readFileSync(join(root, 'LICENSE')), mode: 0o644 },
      'package/gatehouse.cjs': { content: program, mode: 0o755 },
    }),
  )
}

async function bundle(): Promise<Buffer> {
  // Loaded here: a server that nobody asks for the client needs no bundler.
  const { build, stop } = await import('esbuild')
  try {
    const { outputFiles } = await build({
      entryPoints: [join(root, 'src/cli/client-main.ts')],
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      minify: true,
      keepNames: true,
      legalComments: 'eof',
      banner: { js: '#!/usr/bin/env node' },
      write: false,
      logLevel: 'silent',
    })
    return Buffer.from(outputFiles[0]!.contents)
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
