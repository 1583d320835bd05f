import type { IncomingMessage, ServerResponse } from 'node:http'
import { problems } from '@signalbox/contract'
import { newNonce, strictPolicy } from './content-security.ts'
import { sendBytes } from './send.ts'

const style = `:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif}
body{max-width:52rem;margin:3rem auto;padding:0 1.25rem}h1{font-size:1.5rem}h2{font-size:1rem;margin:2rem 0 .25rem}
code{font-family:ui-monospace,monospace}p{margin:.15rem 0}:target{outline:2px solid;outline-offset:6px;border-radius:4px}`

/** Where the \`type\` of every problem leads: what the code means and what to do. */
export function errorsPage(request: IncomingMessage, response: ServerResponse): void {
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
