import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { type OperationGroups, operationGroups, problems, toOpenApi } from '@signalbox/contract'
import type { Log } from '../../log.ts'
import { basePathOf } from '../paths.ts'
import type { RequestContext, Route } from '../route.ts'
import {
	createStaticFiles,
	newNonce,
	referencePolicy,
	type StaticFiles,
	sendBytes,
	strictPolicy,
} from './static-files.ts'

const style = `:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif}
body{max-width:52rem;margin:3rem auto;padding:0 1.25rem}h1{font-size:1.5rem}h2{font-size:1rem;margin:2rem 0 .25rem}
code{font-family:ui-monospace,monospace}p{margin:.15rem 0}:target{outline:2px solid;outline-offset:6px;border-radius:4px}`

/** The page that the \`type\` of every problem links to: what the code means and what to do. */
function errorsPage(request: IncomingMessage, response: ServerResponse): void {
	const nonce = newNonce()
	const sections = Object.entries(problems).map(
		([code, { status, title, remedy }]) =>
			`<section id="${code}"><h2><code>${code}</code> · ${status}</h2><p>${escapeHtml(title)}.</p><p>${escapeHtml(remedy)}</p></section>`,
	)
	sendBytes(request, response, {
		type: 'text/html',
		body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Signalbox</title><style nonce="${nonce}">${style}</style></head>
<body><h1>Errors of the Signalbox API</h1>${sections.join('\n')}</body></html>
`,
		headers: { 'content-security-policy': strictPolicy(nonce) },
	})
}

function escapeHtml(text: string): string {
	return text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replace(/`([^`]+)`/g, '<code>$1</code>')
}

const notBuilt = 'The dashboard is not built yet. Run `npm run build`, then load this page again.\n'

/** Serves a file of the build, or for every other path the single page of the dashboard, with a new nonce. */
async function answerDashboard(
	{ files, log, basePath }: { files: StaticFiles; log: Log; basePath: string },
	request: IncomingMessage,
	response: ServerResponse,
	path: string,
): Promise<void> {
	if (path.startsWith('assets/') || (path !== 'index.html' && (await files.has(path)))) {
		return files.answer(request, response, path)
	}
	const page = await files.read('index.html')
	if (page === null) {
		log.warn('the dashboard was asked for, but is not built: run `npm run build`')
		return sendBytes(request, response, { status: 503, type: 'text/plain', body: notBuilt })
	}
	const nonce = newNonce()
	sendBytes(request, response, {
		type: 'text/html',
		body: placedAt(page, basePath).replaceAll('__CSP_NONCE__', nonce),
		// No screen is meant for search engines, least of all shared sessions.
		headers: { 'content-security-policy': strictPolicy(nonce), 'x-robots-tag': 'noindex, nofollow' },
	})
}

/** The page is served at every path of the dashboard, so its relative URLs would resolve differently at each. */
function placedAt(page: string, basePath: string): string {
	return page
		.replaceAll(/(src|href)="\.\//g, `$1="${basePath}/ui/`)
		.replace('name="signalbox-base-path" content=""', `name="signalbox-base-path" content="${basePath}"`)
}

interface PagesOptions {
	version: string
	log: Log
	/** The URL that users see; by default the URL of the request. */
	publicUrl?: string | null
	/** Directories of the built dashboard and the API reference; by default those of the repository. */
	directories?: { dashboard: string; reference: string }
}

const built = (path: string) => fileURLToPath(new URL(`../../../../../${path}`, import.meta.url))

/** Routes for browsers and other readers: the dashboard, the API reference, the OpenAPI document. */
export function pageRoutes({ version, log, publicUrl, directories }: PagesOptions): Route[] {
	const dashboard = createStaticFiles(directories?.dashboard ?? built('dashboard/dist'))
	const reference = createStaticFiles(directories?.reference ?? built('server/dist/reference'))
	const addressOf = (request: IncomingMessage) =>
		publicUrl?.replace(/\/$/, '') ?? `http://${request.headers.host}`
	const basePath = basePathOf(publicUrl ?? null)
	const openApi = (request: IncomingMessage) =>
		JSON.stringify(toOpenApi(operationGroups, { version, serverUrl: addressOf(request) }))
	return [
		page('root', '/', (_request, response) => redirect(response, basePath)),
		page('dashboard', '/ui/{path...}', (request, response, { params }) =>
			request.url?.startsWith('/ui/')
				? answerDashboard({ files: dashboard, log, basePath }, request, response, params.path ?? '')
				: redirect(response, basePath),
		),
		page('openapi', '/openapi.json', (request, response) =>
			sendBytes(request, response, { type: 'application/json', body: openApi(request) }),
		),
		page('llms', '/llms.txt', (request, response) =>
			sendBytes(request, response, {
				type: 'text/plain',
				body: llmsText(operationGroups, addressOf(request)),
			}),
		),
		page('reference', '/docs', (request, response) =>
			answerReference(reference, request, response, basePath),
		),
		page('reference-script', `/docs/assets/${referenceScript}`, (request, response) =>
			reference.answer(request, response, referenceScript),
		),
		page('errors', '/docs/errors', errorsPage),
	]
}

type Answer = (
	request: IncomingMessage,
	response: ServerResponse,
	context: RequestContext,
) => void | Promise<void>

function page(id: string, path: string, handle: Answer): Route {
	return { id: `page.${id}`, method: 'GET', path, access: { public: true }, family: 'page', handle }
}

function redirect(response: ServerResponse, basePath: string): void {
	response
		.writeHead(302, { location: `${basePath}/ui/`, 'cache-control': 'no-store', 'content-length': 0 })
		.end()
}

/** The API as one text that a language model can read, in the format of llmstxt.org. */
function llmsText(groups: OperationGroups, address: string): string {
	const sections = Object.entries(groups).map(([title, group]) => {
		const lines = Object.values(group).map(
			({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`,
		)
		return `## ${title}\n\n${lines.join('\n')}`
	})
	return `# Signalbox

> Self-hosted platform for AI agents: MCP servers, access per agent and tool, model traffic, telemetry and analytics.

The API below is at ${address}. Send a platform key as \`x-service-api-key\`, or an access token of
\`POST /auth/login\` as \`Authorization: Bearer\`. Failures are RFC 9457 problems with a stable \`code\`.

- [OpenAPI 3.1](${address}/openapi.json): every operation with its schemas
- [Reference](${address}/docs): the same for people
- [Errors](${address}/docs/errors): every code and what to do about it
- MCP: \`${address}/mcp\` (all granted servers) or \`${address}/mcp/{server}\`, with an agent key
- Models: \`${address}/proxy/{connection}/…\`, the path of the provider's API
- OTLP/HTTP: \`POST ${address}/v1/traces\`, with an ingest token

${sections.join('\n\n')}
`
}

const referenceScript = 'reference.js'

const configuration = {
	theme: 'default',
	withDefaultFonts: false,
	telemetry: false,
	hideClientButton: true,
	agent: { disabled: true },
	mcp: { disabled: true },
	showDeveloperTools: 'never',
}

/** The readable API reference. We serve its script ourselves, so it works without internet access. */
async function answerReference(
	files: StaticFiles,
	request: IncomingMessage,
	response: ServerResponse,
	basePath: string,
): Promise<void> {
	const isBuilt = await files.has(referenceScript)
	const nonce = newNonce()
	sendBytes(request, response, {
		status: isBuilt ? 200 : 503,
		type: 'text/html',
		body: isBuilt
			? referencePage(basePath)
			: 'The API reference is not built yet. Run <code>npm run build</code>; see also <a href="/openapi.json">/openapi.json</a>.',
		headers: { 'content-security-policy': referencePolicy(nonce) },
	})
}

function referencePage(basePath: string): string {
	const settings = JSON.stringify(configuration).replaceAll('"', '&quot;')
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox API</title>
<link rel="icon" href="${basePath}/ui/favicon.svg" type="image/svg+xml">
</head>
<body>
<script id="api-reference" data-url="${basePath}/openapi.json" data-configuration="${settings}"></script>
<script src="${basePath}/docs/assets/${referenceScript}"></script>
</body>
</html>
`
}
