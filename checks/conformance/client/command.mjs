/**
 * What the suite starts as the client of each scenario. It only tells the process that plays the client (`driver.ts`), so that
 * many scenarios at once cost many small processes: JavaScript, and no `fetch`, which take half of the time of such a start.
 */
import { request } from 'node:http'

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
	context: JSON.parse(MCP_CONFORMANCE_CONTEXT ?? '{}'),
}
request(SIGNALBOX_DRIVER ?? '', { method: 'POST', agent: false }, (answer) => {
	if (answer.statusCode === 200) return void answer.resume()
	process.exitCode = 1
	answer.pipe(process.stderr)
}).end(JSON.stringify(scenario))
