import type { RuleEcosystem } from '../rule.ts'

/** Names that everybody uses, and that typosquats are made of. Kept by hand: a name belongs here if most projects have it. */
export const popularNames: Partial<Record<RuleEcosystem, readonly string[]>> = {
  npm: `
    lodash react react-dom express axios chalk commander debug moment request async bluebird underscore uuid classnames
    prop-types typescript webpack babel-core babel-loader jquery tslib rxjs yargs fs-extra glob minimist semver mkdirp rimraf
    colors inquirer body-parser dotenv cross-env eslint prettier mocha jest jasmine chai sinon supertest nodemon concurrently
    mongoose mongodb mysql mysql2 redis ioredis sequelize knex typeorm prisma passport jsonwebtoken bcrypt bcryptjs crypto-js
    socket.io socket.io-client next nuxt svelte angular vue-router vuex pinia redux react-redux react-router react-router-dom
    redux-thunk reselect styled-components tailwindcss postcss autoprefixer bootstrap sass less-loader sass-loader css-loader
    style-loader file-loader url-loader html-webpack-plugin mini-css-extract-plugin webpack-cli webpack-dev-server rollup
    esbuild parcel vite vitest cypress playwright puppeteer puppeteer-core selenium-webdriver electron electron-builder
    discord.js telegraf twilio stripe aws-sdk firebase firebase-admin node-fetch cross-fetch isomorphic-fetch superagent
    form-data follow-redirects http-proxy http-proxy-middleware cors helmet morgan winston pino log4js bunyan
    cookie-parser express-session express-validator multer formidable busboy cheerio jsdom handlebars mustache ejs pug
    nunjucks marked markdown-it highlight.js prismjs ansi-styles ansi-regex strip-ansi supports-color string-width wrap-ansi
    color-convert color-name is-arrayish simple-swizzle error-ex has-ansi chalk-template slice-ansi
    date-fns dayjs luxon moment-timezone ramda immutable immer zustand formik yup joi validator class-validator
    class-transformer reflect-metadata graphql graphql-tag apollo-client apollo-server express-graphql
    @types/node @types/react @types/react-dom @types/express @types/lodash @types/jest @babel/core @babel/preset-env
    @babel/runtime @angular/core @angular/common @nestjs/core @nestjs/common @tanstack/react-query
    typescript-eslint ts-node ts-jest ts-loader tsconfig-paths husky lint-staged npm-run-all rollup-plugin-terser terser
    uglify-js source-map source-map-support acorn esprima escodegen estraverse graceful-fs readable-stream through2
    concat-stream iconv-lite safe-buffer safer-buffer inherits event-stream node-ipc ua-parser-js coa
    keyv cacheable flat-cache file-entry-cache shelljs execa cross-spawn which chokidar fsevents node-gyp node-sass
    sharp canvas bcrypt-nodejs serialize-javascript qs querystring url-parse path-to-regexp mime mime-types
    nanoid shortid object-assign deepmerge lodash.merge lodash.get lodash.debounce core-js regenerator-runtime
    ethers web3 hardhat truffle viem
  `
    .trim()
    .split(/\s+/),
  pypi: `
    requests numpy pandas scipy matplotlib django flask fastapi uvicorn gunicorn pydantic sqlalchemy alembic psycopg2
    psycopg2-binary pymongo redis celery boto3 botocore s3transfer awscli urllib3 certifi idna charset-normalizer chardet
    setuptools wheel packaging virtualenv pipenv poetry tomli typing-extensions attrs click jinja2 markupsafe werkzeug
    itsdangerous pyyaml python-dateutil pytz tzdata cryptography pyopenssl cffi pycparser bcrypt paramiko pynacl pyjwt
    oauthlib requests-oauthlib httpx httpcore aiohttp yarl multidict frozenlist aiosignal websockets grpcio protobuf
    tensorflow torch torchvision keras scikit-learn scikit-image xgboost lightgbm transformers tokenizers huggingface-hub
    datasets accelerate langchain openai anthropic litellm tiktoken sentencepiece nltk spacy gensim opencv-python pillow
    beautifulsoup4 lxml selenium scrapy playwright pytest pytest-cov coverage hypothesis nose mock flake8 pylint black
    isort mypy bandit autopep8 jupyter notebook ipython ipykernel jupyterlab nbconvert sphinx docutils pygments colorama
    termcolor tqdm tabulate loguru structlog rich typer python-dotenv simplejson ujson orjson msgpack
    google-api-core google-auth google-cloud-storage azure-core azure-storage-blob kubernetes docker ansible
    telnyx twilio stripe sendgrid slack-sdk discord.py python-telegram-bot tweepy
    djangorestframework django-cors-headers marshmallow graphene peewee mysqlclient pymysql sqlparse
    networkx sympy statsmodels seaborn plotly bokeh dash streamlit gradio
    web3 eth-account solana pycryptodome ecdsa pyasn1 rsa
  `
    .trim()
    .split(/\s+/),
}
