/**
 * What the suite starts as the client of each scenario. It only tells the process that plays the client (`driver.ts`), so that
 * many scenarios at once cost many small processes.
 */
const {
	MCP_CONFORMANCE_SCENARIO,
	MCP_CONFORMANCE_PROTOCOL_VERSION,
	MCP_CONFORMANCE_CONTEXT,
	SIGNALBOX_DRIVER,
} = process.env
const scenario = {
	name: MCP_CONFORMANCE_SCENARIO,
	version: MCP_CONFORMANCE_PROTOCOL_VERSION,
	serverUrl: process.argv[2],
	context: JSON.parse(MCP_CONFORMANCE_CONTEXT ?? '{}') as object,
}
const answer = await fetch(SIGNALBOX_DRIVER ?? '', { method: 'POST', body: JSON.stringify(scenario) })
if (!answer.ok) {
	console.error(await answer.text())
	process.exitCode = 1
}
