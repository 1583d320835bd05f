import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../../log.ts'
import { newNonce, strictPolicy } from './content-security.ts'
import { sendBytes } from './send.ts'
import type { StaticFiles } from './static-files.ts'

const notBuilt = 'The dashboard is not built yet. Run `npm run build`, then load this page again.\n'

/** A file of the build, or for every other path the one page of the dashboard, with a nonce of its own. */
export async function answerDashboard(
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
		// No screen is for search engines, shared sessions least of all.
		headers: { 'content-security-policy': strictPolicy(nonce), 'x-robots-tag': 'noindex, nofollow' },
	})
}

/** The page stands for every path of the dashboard, so what is relative in it would lead to as many places. */
function placedAt(page: string, basePath: string): string {
	return page
		.replaceAll(/(src|href)="\.\//g, `$1="${basePath}/ui/`)
		.replace('name="signalbox-base-path" content=""', `name="signalbox-base-path" content="${basePath}"`)
}
