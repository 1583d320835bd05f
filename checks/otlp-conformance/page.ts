import { passedPercent, type Result } from './run-cases.ts'

/** Renders the page with the results of a run. */
export function writePage(results: readonly Result[]): string {
	const passed = results.filter(({ failure }) => failure === null).length
	return `# OTLP conformance

\`npm run otlp-conformance\` tests an OTLP receiver against the rules of the OTLP specification (1.11), over HTTP and gRPC. Without an address
it starts Signalbox, tests it and writes this page; \`npm test\` does the same and fails if the page says
something else. You can test any receiver:

\`\`\`
npm run otlp-conformance -- http://127.0.0.1:4318 --grpc 127.0.0.1:4317 --header "authorization=Bearer it_service_…"
\`\`\`

Signalbox passes **${passed} of ${results.length} cases (${passedPercent(results)} %)**.

| Case | Level | The receiver … | Source | Result |
|---|---|---|---|---|
${results.map(toLine).join('\n')}
`
}

function toLine({ tried, failure }: Result): string {
	return `| \`${tried.id}\` | ${tried.level} | ${tried.rule} | ${tried.reference} | ${failure === null ? 'passes' : `**fails**: ${failure}`} |`
}
