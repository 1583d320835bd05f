import type { Config } from '../config/config.ts'

export interface BannerFacts {
	config: Config
	version: string
	address: string
	setupToken: string | null
	demoSlug: string | null
	/** Port of the OTLP listener, or null. */
	otlpPort: number | null
	newMasterKeyPath: string | null
	startedInMs: number
}

/** What a person needs after a start, in at most 15 lines. */
export function renderBanner(facts: BannerFacts): string {
	const { address, config } = facts
	const otlp = facts.otlpPort ? `http://${hostIn(address)}:${facts.otlpPort}` : address
	const lines = [
		`Signalbox ${facts.version} is ready at ${address} (${(facts.startedInMs / 1000).toFixed(1)} s)`,
		...(facts.setupToken
			? [
					`  Set up     ${address}/ui/setup#${facts.setupToken}  (once, within 15 minutes)`,
					...(config.DEMO === 'on'
						? ['  Demo       is made with the first account, and opens when it is ready']
						: []),
				]
			: [
					`  Dashboard  ${address}/ui/`,
					...(config.DEMO === 'on'
						? [
								facts.demoSlug
									? `  Demo       ${address}/ui/w/${facts.demoSlug}/`
									: '  Demo       is being made; its address is logged when it is ready',
							]
						: []),
				]),
		`  API        ${address}/docs`,
		`  Data       ${config.dataDir}`,
		...(facts.newMasterKeyPath
			? [`  Back up    ${facts.newMasterKeyPath}: without it no stored secret can be opened`]
			: []),
		'  Send telemetry from anything that speaks OpenTelemetry:',
		`    OTEL_EXPORTER_OTLP_ENDPOINT=${otlp}`,
		'    OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer <ingest token>"',
		'  Connect an agent:',
		`    claude mcp add --transport http signalbox ${address}/mcp-key --header "Authorization: Bearer <agent key>"`,
	]
	return `${lines.join('\n')}\n`
}

function hostIn(address: string): string {
	return new URL(address).hostname
}
