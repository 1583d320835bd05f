import type { IncomingMessage, ServerResponse } from 'node:http'
import { newNonce, sendBytes, strictPolicy } from '../../platform/http/pages/index.ts'

const style = `:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif}
body{max-width:36rem;margin:20vh auto;padding:0 1.25rem}h1{font-size:1.25rem}`

/** For a person whose client asked for something that may be answered to nobody. */
export function sendErrorPage(request: IncomingMessage, response: ServerResponse, text: string): void {
	const nonce = newNonce()
	sendBytes(request, response, {
		status: 400,
		type: 'text/html',
		body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signalbox</title><style nonce="${nonce}">${style}</style></head>
<body><h1>This client cannot be connected</h1><p>${escapeHtml(text)}</p>
<p>Nothing was given to it. Start again from the client, or ask who made it.</p></body></html>
`,
		headers: { 'content-security-policy': strictPolicy(nonce) },
	})
}

function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
