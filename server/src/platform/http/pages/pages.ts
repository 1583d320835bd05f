import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { operationGroups, toOpenApi } from '@signalbox/contract'
import type { Log } from '../../log.ts'
import { basePathOf } from '../base-path.ts'
import type { RequestContext, Route } from '../route.ts'
import { answerDashboard } from './dashboard.ts'
import { errorsPage } from './errors-page.ts'
import { llmsText } from './llms-text.ts'
import { answerReference, referenceScript } from './reference.ts'
import { sendBytes } from './send.ts'
import { createStaticFiles } from './static-files.ts'

export interface PagesOptions {
	version: string
	log: Log
	/** The address that users see; absent: the one that the request came to. */
	publicUrl?: string | null
	/** Where the built dashboard and the API reference are; from the repository when absent. */
	directories?: { dashboard: string; reference: string }
}

const built = (path: string) => fileURLToPath(new URL(`../../../../../${path}`, import.meta.url))

/** What a browser or a reading program gets: the dashboard, the API reference, the OpenAPI document. */
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
