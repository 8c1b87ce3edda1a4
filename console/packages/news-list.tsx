import type { ReactNode } from 'react'
import type { Answer } from '../api/contracts.ts'
import { formatSearch, pathPart } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plural } from '../ui/text/words.ts'

const mostShown = 5

/** Each kind of news in a sentence, with links to what it is about. */
export function NewsList({ watched }: { watched: Answer<'listWatchedPackages'>['watches'][number] }) {
  const to = usePathTo()
  const { ecosystem, name, news } = watched
  return (
    <ul className="news">
      {news.firewall && (
        <li>
          {news.firewall === 'kept_out'
            ? 'The firewall keeps a version that is in use out.'
            : 'The firewall lets every version in use in again.'}
        </li>
      )}
      {news.vulnerabilityCount > 0 && (
        <li>
          {plural(news.vulnerabilityCount, 'vulnerability', 'vulnerabilities')} became known:{' '}
          <Named count={news.vulnerabilityCount}>
            {news.vulnerabilities.slice(0, mostShown).map((id) => (
              <Link key={id} to={to(`vulnerabilities/${pathPart(id)}`)}>
                <Foreign text={id} mono />
              </Link>
            ))}
          </Named>
        </li>
      )}
      {news.versionCount > 0 && (
        <li>
          {plural(news.versionCount, 'version')} came into use:{' '}
          <Named count={news.versionCount}>
            {news.versions.slice(0, mostShown).map((version) => (
              <Link key={version} to={to(`dependencies${occurrences(ecosystem, `${name}@${version}`)}`)}>
                <Foreign text={version} mono />
              </Link>
            ))}
          </Named>
        </li>
      )}
      {news.repositoryCount > 0 && (
        <li>
          {plural(news.repositoryCount, 'repository', 'repositories')} began to use it:{' '}
          <Named count={news.repositoryCount}>
            {news.repositories.slice(0, mostShown).map((repository) => (
              <Link key={repository.id} to={to(`repositories/${repository.id}/dependencies`)}>
                <Foreign text={repository.name} />
              </Link>
            ))}
          </Named>
        </li>
      )}
    </ul>
  )
}

function Named({ count, children }: { count: number; children: ReactNode[] }) {
  const more = count - children.length
  return (
    <>
      {children.flatMap((child, at) => (at === 0 ? [child] : [', ', child]))}
      {more > 0 && ` and ${more.toLocaleString('en')} more`}
    </>
  )
}

function occurrences(ecosystem: string, named: string): string {
  return formatSearch([
    ['ecosystem', ecosystem],
    ['package', named],
  ])
}
