import { pathPart } from '../app/address/address.ts'

/** The page of a package; a slash in its name is one of the address. */
export function packagePath({ ecosystem, name }: { ecosystem: string; name: string }): string {
  return `packages/${pathPart(ecosystem)}/${name.split('/').map(pathPart).join('/')}`
}
