import type { IncomingMessage, ServerResponse } from 'node:http'
import { newNonce, referencePolicy } from './content-security.ts'
import { sendBytes } from './send.ts'
import type { StaticFiles } from './static-files.ts'

export const referenceScript = 'reference.js'

const configuration = {
	theme: 'default',
	withDefaultFonts: false,
	telemetry: false,
	hideClientButton: true,
	agent: { disabled: true },
	mcp: { disabled: true },
	showDeveloperTools: 'never',
}

/** The readable API reference; its script is served by us, so it works without internet. */
export async function answerReference(
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
			? page(basePath)
			: 'The API reference is not built yet. Run <code>npm run build</code>; see also <a href="/openapi.json">/openapi.json</a>.',
		headers: { 'content-security-policy': referencePolicy(nonce) },
	})
}

function page(basePath: string): string {
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
