import { impossible } from './impossible.ts'
import { type Quadrant, serverName } from './quadrants.ts'
import { type RequirementSet, requirementSets, type ScenarioResult } from './run-suite.ts'

const introduction = `# Conformance

These are the results of the official suite \`@modelcontextprotocol/conformance@0.2.0-alpha.12\`.

**Gateway.** The suite runs against a server of the official SDK with every feature that it tests (\`checks/fixtures\`):
directly, and through Signalbox as an agent whose grant names each tool, prompt and resource. The suite cannot send a
credential, so a relay on loopback adds the agent's key to each request and changes nothing else
(\`checks/conformance/header-shim.ts\`).

**Connector.** The suite plays the MCP server and its authorization server, and tests how Signalbox connects to them. Each
scenario is registered as a server, an admin consents if needed, and a stock agent calls it through the gateway
(\`checks/conformance/client\`). The scenarios that fail there are not required; they test extensions (other OAuth grants,
and DPoP).

**Authorization server.** Signalbox's own passes the suite's checks for one
(\`checks/system/conformance.test.ts\`).

\`npm run conformance\` writes this page. It also prints the suite's warnings, which are about what the protocol only
recommends. \`npm run test:long\` runs everything and fails if the results differ from this page. \`npm test\` runs only the
gateway between a client and a server of each era, and the connector.

The suite waits 500 to 1,500 ms for some responses, so it can fail on a busy machine. Three runs in a row on two cores
with a load of 10 to 27 gave these results (3 to 8 minutes each). Two earlier runs failed: a tool whose result is expected
within 500 ms slept for 150 ms of them, and the relay closed connections that it had announced as open.`

/** Renders the page of results, without values that differ between runs. */
export function writePage(quadrants: readonly Quadrant[]): string {
	return [
		introduction,
		'## Required scenarios',
		summary(quadrants),
		'## What translation between eras cannot do',
		list(),
		...requirementSets.flatMap((set) => [`## ${set}`, details(set, quadrants.filter(isServerSide))]),
		...requirementSets.flatMap((set) => [
			`## Our connector, ${set}`,
			details(
				set,
				quadrants.filter((each) => !isServerSide(each)),
			),
		]),
	].join('\n\n')
}

function summary(quadrants: readonly Quadrant[]): string {
	return ['| Client and server | Requirements | Pass |', '|---|---|---|', ...quadrants.map(summaryRow)].join(
		'\n',
	)
}

/** Renders the line of the summary for one run. */
export function summaryRow({ title, requirements, results }: Quadrant): string {
	const required = results.filter((result) => result.required)
	const passing = required.filter(({ failed }) => failed === 0)
	return `| ${title} | ${requirements} | ${passing.length} of ${required.length} |`
}

function list(): string {
	return impossible
		.map(
			({ requirements, fixture, scenario, reason }) =>
				`- \`${scenario}\` (${requirements}, ${fixture} server): ${reason}`,
		)
		.join('\n')
}

function details(set: RequirementSet, quadrants: readonly Quadrant[]): string {
	const columns = quadrants.filter(({ requirements }) => requirements === set)
	const heads = columns.map(({ through, fixture }) =>
		through === 'direct' ? 'by itself' : through === 'gateway' ? serverName[fixture] : 'through the gateway',
	)
	const rows = (columns[0]?.results ?? []).map(({ scenario, required }) => {
		const cells = columns.map(({ results }) => cell(results.find((each) => each.scenario === scenario)))
		return `| ${scenario}${required ? '' : ' (not required)'} | ${cells.join(' | ')} |`
	})
	const line = `|---|${heads.map(() => '---|').join('')}`
	return [`| Scenario | ${heads.join(' | ')} |`, line, ...rows].join('\n')
}

function isServerSide({ through }: Quadrant): boolean {
	return through !== 'connector'
}

function cell(result: ScenarioResult | undefined): string {
	if (!result) return 'not run'
	return result.failed === 0 ? 'passes' : 'fails'
}
