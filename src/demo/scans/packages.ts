/** A package with some of the versions that it really had, oldest first. */
export type DemoPackage = { name: string; versions: string[]; licence: string }
export type Stack = 'npm' | 'pypi' | 'maven' | 'gomod'

const of = (licence: string, name: string, ...versions: string[]): DemoPackage => ({ name, versions, licence })

export const packages: Record<Stack, DemoPackage[]> = {
  npm: [
    of('MIT', 'lodash', '4.17.15', '4.17.19', '4.17.20', '4.17.21'),
    of('MIT', 'minimist', '1.2.0', '1.2.5', '1.2.6', '1.2.8'),
    of('MIT', 'axios', '0.19.0', '0.21.1', '0.21.4', '1.6.8', '1.7.9'),
    of('MIT', 'express', '4.16.4', '4.17.1', '4.18.2', '4.21.2'),
    of('MIT', 'jsonwebtoken', '8.5.1', '9.0.0', '9.0.2'),
    of('MIT', 'ua-parser-js', '0.7.28', '0.7.31', '1.0.37'),
    of('MIT', 'react', '16.14.0', '17.0.2', '18.2.0', '18.3.1'),
    of('MIT', 'react-dom', '16.14.0', '17.0.2', '18.2.0', '18.3.1'),
    of('ISC', 'semver', '5.7.1', '6.3.0', '7.5.2', '7.6.3'),
    of('MIT', 'ws', '7.4.5', '7.4.6', '8.17.0', '8.18.0'),
    of('Apache-2.0', 'typescript', '4.9.5', '5.2.2', '5.6.3'),
    of('MIT', 'vite', '4.4.9', '5.0.12', '5.4.11'),
    of('BSD-3-Clause', 'qs', '6.5.2', '6.9.7', '6.11.0', '6.13.0'),
    of('MIT', 'debug', '2.6.9', '4.3.4', '4.3.7'),
    of('MIT', 'pino', '7.11.0', '8.21.0', '9.5.0'),
    of('Apache-2.0', 'meadow-log', '3.2.0'),
    of('Apache-2.0', 'meadow-forms', '1.6.0'),
    of('Apache-2.0', 'meadow-dates', '2.0.0', '2.1.0', '2.2.0'),
    of('Apache-2.0', 'meadow-colours', '1.3.0', '1.4.0'),
  ],
  pypi: [
    of('Apache-2.0', 'requests', '2.19.1', '2.25.1', '2.31.0', '2.32.3'),
    of('BSD-3-Clause', 'django', '3.2.12', '3.2.25', '4.2.16', '5.1.3'),
    of('BSD-3-Clause', 'flask', '1.1.4', '2.2.4', '2.3.2', '3.0.3'),
    of('MIT', 'urllib3', '1.24.1', '1.26.5', '1.26.18', '2.2.2'),
    of('MIT', 'pyyaml', '5.3', '5.4', '6.0.2'),
    of('BSD-3-Clause', 'jinja2', '2.10', '3.1.2', '3.1.4'),
    of('Apache-2.0', 'cryptography', '3.2', '39.0.1', '43.0.3'),
    of('BSD-3-Clause', 'numpy', '1.21.6', '1.26.4', '2.1.3'),
    of('BSD-3-Clause', 'pandas', '1.3.5', '2.0.3', '2.2.3'),
    of('MIT', 'sqlalchemy', '1.4.46', '2.0.20', '2.0.36'),
    of('MIT', 'pydantic', '1.10.12', '2.4.2', '2.9.2'),
    of('BSD-3-Clause', 'click', '7.1.2', '8.1.3', '8.1.7'),
  ],
  maven: [
    of('Apache-2.0', 'org.apache.logging.log4j:log4j-core', '2.14.1', '2.16.0', '2.17.1', '2.24.1'),
    of('Apache-2.0', 'org.springframework:spring-core', '5.3.17', '5.3.39', '6.1.14'),
    of('Apache-2.0', 'com.fasterxml.jackson.core:jackson-databind', '2.9.8', '2.12.7', '2.17.2'),
    of('Apache-2.0', 'org.apache.commons:commons-text', '1.9', '1.10.0', '1.12.0'),
    of('Apache-2.0', 'com.google.guava:guava', '29.0-jre', '32.0.0-jre', '33.3.1-jre'),
    of('EPL-1.0', 'ch.qos.logback:logback-classic', '1.2.3', '1.2.13', '1.5.12'),
    of('BSD-2-Clause', 'org.postgresql:postgresql', '42.2.5', '42.4.3', '42.7.4'),
  ],
  gomod: [
    of('BSD-3-Clause', 'golang.org/x/net', 'v0.0.0-20220127200216-cd36cc0744dd', 'v0.17.0', 'v0.30.0'),
    of('BSD-3-Clause', 'golang.org/x/crypto', 'v0.9.0', 'v0.17.0', 'v0.28.0'),
    of('MIT', 'github.com/gin-gonic/gin', 'v1.7.0', 'v1.9.1', 'v1.10.0'),
    of('Apache-2.0', 'google.golang.org/grpc', 'v1.40.0', 'v1.56.3', 'v1.67.1'),
    of('Apache-2.0', 'gopkg.in/yaml.v3', 'v3.0.0', 'v3.0.1'),
    of('MIT', 'github.com/stretchr/testify', 'v1.7.0', 'v1.8.4', 'v1.9.0'),
    of('MIT', 'github.com/golang-jwt/jwt/v4', 'v4.4.2', 'v4.5.0', 'v4.5.1'),
  ],
}
