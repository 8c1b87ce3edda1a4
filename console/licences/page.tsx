import { useAsk } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { NothingYet } from '../scans/nothing-yet.tsx'
import { Link } from '../ui/link.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'

export default function LicencesPage() {
  const to = usePathTo()
  const asked = useAsk('getLicenceOverview', {})
  const under = (licence: string, view: 'occurrences' | 'repositories') =>
    to(
      `dependencies${formatSearch([
        ['licence', licence],
        ['view', view],
      ])}`,
    )
  return (
    <Page narrow>
      <PageHead
        title="Licences"
        about="Of the dependencies of every repository you see. A dependency counts for each licence that takes part in its expression."
      />
      <Part of={asked} lines={6}>
        {(data) =>
          data.licences.length === 0 && data.unrecognised + data.withoutLicence === 0 ? (
            <NothingYet title="No dependencies yet" about="Licences come with lockfiles and bills of materials." />
          ) : (
            <>
              <div className="cards small">
                <div className="stat">
                  <span className="figure">{data.licences.length.toLocaleString('en')}</span>
                  <span className="means">licences</span>
                </div>
                <Link to={under('OTHER', 'occurrences')} className="stat">
                  <span className="figure">{data.unrecognised.toLocaleString('en')}</span>
                  <span className="means">dependencies with a text that is no SPDX expression</span>
                </Link>
                <Link to={under('NOASSERTION', 'occurrences')} className="stat">
                  <span className="figure">{data.withoutLicence.toLocaleString('en')}</span>
                  <span className="means">dependencies whose file gives none</span>
                </Link>
              </div>
              <Card>
                <table className="table">
                  <thead>
                    <tr>
                      <th scope="col">Licence</th>
                      <th scope="col" className="end">
                        Dependencies
                      </th>
                      <th scope="col" className="end">
                        Repositories
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.licences.map((licence) => (
                      <tr key={licence.spdxId}>
                        <td>
                          <Link to={to(`dependencies${formatSearch([['licence', licence.spdxId]])}`)}>
                            <Foreign text={licence.spdxId} mono />
                          </Link>
                        </td>
                        <td className="end num">
                          <Link to={under(licence.spdxId, 'occurrences')}>
                            {licence.dependencyCount.toLocaleString('en')}
                          </Link>
                        </td>
                        <td className="end num">
                          <Link to={under(licence.spdxId, 'repositories')}>
                            {licence.repositoryCount.toLocaleString('en')}
                          </Link>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Card>
            </>
          )
        }
      </Part>
    </Page>
  )
}
