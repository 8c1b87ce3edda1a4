/**
 * The 19 operations of the interface as facts: method, path, stability, credentials, every request and response field
 * with its type. An object stands for an object, a one-element array for an array, a name for a type. Written by hand from
 * the interface, not from our contracts: the contract test holds the two against each other.
 */
export type Shape = string | { [field: string]: Shape } | [Shape]

export type Fact = {
  method: string
  path: string
  stability: 'experimental' | 'beta'
  security: 'both' | 'token' | 'jwt'
  deprecated?: true
  query?: { [name: string]: Shape }
  request?: { [field: string]: Shape }
  /** Optional request fields that the interface leaves open and we decided on. */
  decided?: { [field: string]: Shape }
  response: { [field: string]: Shape }
}

const timePeriod = { since: 'timestamp', until: 'timestamp' }
const strings: Shape = ['string']
const reportFilters = {
  timePeriod,
  projects: strings,
  tags: strings,
  teams: strings,
  ruleIds: strings,
  findingCategories: strings,
  projectIds: strings,
}
const packageManagerConfig = {
  id: 'integer',
  name: 'string',
  url: 'string',
  requiresAuth: 'boolean',
  ecosystem: 'string',
  deploymentId: 'integer',
  useNetworkBroker: 'boolean',
  additionalConfig: { maven: { repositoryType: 'string' }, pypi: {}, npm: { scope: 'string|null' } },
  registryType: 'string',
}
const login = { username: 'string', password: 'string' }
const ruleboard = { name: 'string', slug: 'string', default: 'boolean', assigned_repos: strings }

export const facts: Record<string, Fact> = {
  E1: {
    method: 'PATCH',
    path: '/api/agent/deployments/{deploymentId}/packagemanagerauthconfigs/{packageManagerConfigId}',
    stability: 'experimental',
    security: 'both',
    request: {
      deploymentId: 'integer',
      packageManagerConfigId: 'integer',
      packageManagerConfigForInsert: {
        config: packageManagerConfig,
        maven: login,
        pypi: login,
        codeArtifact: { assumeRoleArn: 'string' },
        npm: { token: 'string', basicAuth: login },
      },
    },
    response: { packageManagerConfig },
  },
  E2: {
    method: 'GET',
    path: '/api/agent/deployments/{deploymentId}/packagemanagerauthconfigs',
    stability: 'experimental',
    security: 'both',
    response: {
      packageManagerConfigsWithCredentials: [
        {
          config: packageManagerConfig,
          credentials: { nonce: 'string', ciphertext: 'string', tag: 'string', keyVersion: 'string' },
        },
      ],
    },
  },
  E3: {
    method: 'POST',
    path: '/api/sca/deployments/{deploymentId}/repositories',
    stability: 'experimental',
    security: 'both',
    request: {
      deploymentId: 'string',
      dependencyFilter: {
        name: 'string',
        version: 'string',
        repositoryId: ['integer'],
        lockfilePath: 'string',
        license: strings,
        packageFilters: [
          {
            name: 'string',
            versionLowerBound: 'string',
            versionUpperBound: 'string',
            exactVersion: 'string',
            exactNameMatch: 'boolean',
          },
        ],
        includeArchived: 'boolean',
      },
      cursor: 'integer',
      pageSize: 'integer',
    },
    decided: { dependencyFilter: { ecosystem: strings, transitivity: strings } },
    response: {
      repositorySummaries: [
        { id: 'integer', name: 'string', numDependencies: 'integer', hasDependencyPathScan: 'boolean' },
      ],
      hasMore: 'boolean',
      cursor: 'integer',
    },
  },
  E4: {
    method: 'POST',
    path: '/api/reporting/{deploymentId}/reports/guardrails-activity',
    stability: 'beta',
    security: 'both',
    request: { filters: reportFilters },
    decided: { filters: { timeBucketSize: 'string' } },
    response: {
      buckets: [
        {
          timePeriod,
          silenced: 'integer',
          open: 'integer',
          fixed: 'integer',
          ignored: 'integer',
          provisionallyIgnored: 'integer',
        },
      ],
      totalFixed: 'integer',
      totalOpened: 'integer',
    },
  },
  E5: {
    method: 'POST',
    path: '/api/reporting/{deploymentId}/reports/funnel',
    stability: 'beta',
    security: 'both',
    request: { filters: reportFilters },
    decided: { filters: { timeBucketSize: 'string' } },
    response: {
      allFindings: 'integer',
      possiblyExploitable: 'integer',
      internetExposed: 'integer',
      priorityFindings: 'integer',
      byProduct: 'object',
    },
  },
  E6: {
    method: 'POST',
    path: '/api/reporting/{deploymentId}/reports/malware-firewall/blocked-mal-deps/by-dep-version-and-ecosystem',
    stability: 'beta',
    security: 'both',
    request: { filters: { timePeriod }, cursor: 'string', limit: 'integer' },
    decided: { filters: { timeBucketSize: 'string' } },
    response: {
      rows: [{ dependency: 'string', version: 'string', ecosystem: 'string', totalBlocked: 'integer' }],
      cursor: 'string',
    },
  },
  E7: {
    method: 'POST',
    path: '/api/reporting/{deploymentId}/reports/malware-firewall/scan-activity',
    stability: 'beta',
    security: 'both',
    request: { filters: { timePeriod } },
    decided: { filters: { timeBucketSize: 'string' } },
    response: { buckets: [{ timePeriod, blockingScans: 'integer', nonBlockingScans: 'integer' }] },
  },
  E8: {
    method: 'POST',
    path: '/api/ai/deployments/{deploymentId}/memories/list',
    stability: 'experimental',
    security: 'both',
    request: { deploymentId: 'string', filter: { repositoryIds: strings, exactScope: 'boolean' } },
    response: {
      memories: [
        {
          id: 'string',
          content: 'string',
          ruleId: 'string',
          ruleName: 'string',
          repositoryId: 'string',
          repositoryName: 'string',
          createdAt: 'timestamp',
          createdBy: 'string',
          context: strings,
          stage: 'string',
          pathPrefixes: strings,
          suggestionSources: {
            sources: [
              {
                note: 'string',
                createdBy: 'string',
                createdAt: 'timestamp',
                sampleIssueId: 'string',
                prCommentUrl: 'string',
                reviewCommentId: 'string',
              },
            ],
          },
          preanalysisCounts: {
            newlyTruePositive: 'string',
            newlyFalsePositive: 'string',
            remainsTruePositive: 'string',
            remainsFalsePositive: 'string',
          },
          vulnerabilityClass: 'string',
          projectTagId: 'integer',
        },
      ],
    },
  },
  E9: {
    method: 'POST',
    path: '/api/issues/{deploymentId}/issue/{issueId}',
    stability: 'experimental',
    security: 'both',
    request: { deploymentId: 'string', issueId: 'string', triageState: 'string', triageReason: 'string' },
    response: {
      data: {
        id: 'string',
        deploymentId: 'string',
        title: 'string',
        description: 'string',
        reasoning: 'string',
        createdAt: 'timestamp',
        lastDetectedAt: 'timestamp',
        detectionState: 'string',
        severity: 'string',
        triageState: 'string',
        triageReason: 'string',
        triagedAt: 'timestamp',
        actions: strings,
        workflowIds: strings,
        identities: strings,
        triggerSources: strings,
        projectIds: strings,
        refIds: strings,
        filePaths: strings,
        dependencyPaths: strings,
        directDependencies: strings,
        domains: strings,
        cwes: strings,
        owasps: strings,
      },
    },
  },
  E10: {
    method: 'PATCH',
    path: '/api/permissions/v2/deployments/{deploymentId}/teams/{teamId}',
    stability: 'beta',
    security: 'both',
    request: { team: { name: 'string', repositories: [{ repositoryId: 'string' }], users: [{ userId: 'integer' }] } },
    decided: { team: { repositories: [{ action: 'string' }], users: [{ action: 'string', role: 'string' }] } },
    response: {
      team: {
        id: 'string',
        deploymentId: 'string',
        name: 'string',
        slug: 'string',
        parentTeamId: 'string',
        repositoryCount: 'string',
        userCount: 'string',
        childTeamCount: 'string',
        isProjectDefault: 'boolean',
        isUserDefault: 'boolean',
        authorizedScopes: strings,
      },
    },
  },
  E11: {
    method: 'POST',
    path: '/api/scm/devops_app',
    stability: 'experimental',
    security: 'both',
    request: {
      deploymentId: 'string',
      baseUrl: 'string',
      tenantId: 'string',
      clientId: 'string',
      organizationName: 'string',
      projectName: 'string',
    },
    response: { scmAppId: 'string', publicCertificatePem: 'string' },
  },
  E12: {
    method: 'PUT',
    path: '/api/agent/deployments/{deploymentId}/ruleboards/{ruleboardSlug}/overview',
    stability: 'experimental',
    security: 'both',
    request: { name: 'string', assigned_repos: strings },
    response: ruleboard,
  },
  E13: {
    method: 'GET',
    path: '/api/agent/deployments/{deploymentId}/ruleboards',
    stability: 'experimental',
    security: 'both',
    query: { type: 'string' },
    response: { ruleboards: [ruleboard] },
  },
  E14: {
    method: 'GET',
    path: '/api/notifications/deployments/{deploymentId}/ticketing/v2',
    stability: 'experimental',
    security: 'both',
    response: {
      instances: [
        {
          id: 'integer',
          isConfigured: 'boolean',
          isAuthRevoked: 'boolean',
          instanceType: 'string',
          subdomain: 'string',
          projectId: 'string',
          issueTypeId: 'string',
          fields: 'object',
          automationStates: {
            sast: 'boolean',
            sca: 'boolean',
            secrets: 'boolean',
            scaMaliciousDeps: 'boolean',
            aiSast: 'boolean',
          },
          subtaskIssueTypeId: 'string',
          fixedTransitionState: { trackerTransitionId: 'string', serviceAggregateState: 'string' },
        },
      ],
    },
  },
  E15: {
    method: 'GET',
    path: '/api/policies/v1/deployments/{deploymentId}',
    stability: 'experimental',
    security: 'token',
    deprecated: true,
    response: {
      policies: [{ id: 'string', name: 'string', slug: 'string', productType: 'string', isDefault: 'boolean' }],
    },
  },
  E16: {
    method: 'GET',
    path: '/api/notifications/deployments/{deploymentId}/automations',
    stability: 'experimental',
    security: 'both',
    response: {
      automations: [
        {
          id: 'string',
          name: 'string',
          description: 'string',
          active: 'boolean',
          createdBy: 'string',
          updatedBy: 'string',
          createdAt: 'timestamp',
          updatedAt: 'timestamp',
          internalOnly: 'boolean',
          triggerSource: 'string',
          filters: { mode: 'string', conditions: [{ mode: 'string', type: 'string', values: strings }] },
          actions: [{ type: 'string', config: 'object', id: 'string' }],
        },
      ],
    },
  },
  E17: {
    method: 'GET',
    path: '/api/agent/deployments/{deploymentId}/chat/installations',
    stability: 'experimental',
    security: 'jwt',
    response: {
      deployment_id: 'integer',
      client_id: 'string',
      app_id: 'string',
      enterprise_name: 'string',
      enterprise_url: 'string',
      team_name: 'string',
      update_available: 'boolean',
      archived: 'boolean',
    },
  },
  E18: {
    method: 'GET',
    path: '/api/agent/deployments/{deploymentId}/chat/install',
    stability: 'experimental',
    security: 'both',
    response: { redirect_url: 'string' },
  },
  E19: {
    method: 'GET',
    path: '/api/notifications/deployments/{deploymentId}/cloudsec/{id}',
    stability: 'experimental',
    security: 'both',
    response: {
      cloudsecCredential: {
        id: 'string',
        deploymentId: 'integer',
        clientId: 'string',
        apiUrl: 'string',
        tokenUrl: 'string',
      },
    },
  },
}

/** Not built yet. Must be empty at the end. */
export const stillToCome: string[] = []
