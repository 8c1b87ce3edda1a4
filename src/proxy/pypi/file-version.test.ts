import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionOfFile } from './file-version.ts'

const cases: [filename: string, project: string, version: string | undefined][] = [
  ['left_pad-1.2-py3-none-any.whl', 'left-pad', '1.2'],
  ['Left.Pad-1.2-1-py3-none-any.whl', 'left-pad', '1.2'],
  ['torch-2.1.0+cpu-cp311-cp311-linux_x86_64.whl', 'torch', '2.1.0+cpu'],
  ['left_pad-1.2.tar.gz', 'left-pad', '1.2'],
  ['left-pad-1.2.tar.gz', 'left-pad', '1.2'],
  ['left-pad-1.2-rc1.zip', 'left-pad', '1.2-rc1'],
  ['foo-1-2.0.tar.gz', 'foo-1', '2.0'],
  ['left_pad-1.2-py2.7.egg', 'left-pad', undefined],
  ['left_pad-1.2.win32.exe', 'left-pad', undefined],
  ['left_pad-1.2.linux-x86_64.tar.gz', 'left-pad', undefined],
  ['other-1.2.tar.gz', 'left-pad', undefined],
  ['other-1.2-py3-none-any.whl', 'left-pad', undefined],
  ['left_pad-py3-none-any.whl', 'left-pad', undefined],
  ['left_pad.tar.gz', 'left-pad', undefined],
  ['left_pad-1.2.txt', 'left-pad', undefined],
  ['left_pad-.tar.gz', 'left-pad', undefined],
]

for (const [filename, project, version] of cases) {
  test(`${filename} of ${project} is ${version ?? 'no version of it'}`, () => {
    assert.equal(versionOfFile(filename, project), version)
  })
}
