import type { OperationGroups } from '@signalbox/contract'

/** The API in one text that a language model can read; the form of llmstxt.org. */
export function llmsText(groups: OperationGroups, address: string): string {
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
