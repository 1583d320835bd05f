/**
 * Files of the project `unit` that `npm run verify` leaves out: they wait for real receivers and their back-off, kill, fuzz, or
 * ask the engine hundreds of questions.
 */
export const leftToNpmTest = [
	'server/src/access/review/simulate/simulate.test.ts',
	'server/src/gateway/{kept-lists,mix-up}.test.ts',
	'server/src/gateway/eras/legacy/sse-2024/line.test.ts',
	'server/src/insights/alerts/alerts.test.ts',
	'server/src/insights/spotlight/{breakdowns,derived-sessions,inherited-names,merge-usage,merge-views,requests,spotlight}.test.ts',
	'server/src/insights/spotlight/joins/join-arrived.test.ts',
	'server/src/insights/spotlight/matrix/matrix.test.ts',
	'server/src/insights/spotlight/rollups/{roll-hours,roll-open-hours,rollups}.test.ts',
	'server/src/insights/spotlight/sessions/sessions.test.ts',
	'server/src/models/proxy/{disconnects,unchanged-bytes}.test.ts',
	'server/src/platform/crypto/password-hasher.test.ts',
	'server/src/servers/far-servers.test.ts',
	'server/src/servers/tool-definitions/compare/narrowing.test.ts',
	'server/src/telemetry/{erasures/erasures,forwarders/forwarders,renormalise/renormalise,with-newest}.test.ts',
	'server/src/telemetry/arrivals/arrivals.test.ts',
	'server/src/telemetry/blocks/span-block.test.ts',
	'server/src/telemetry/otlp/{receive,transcode}.test.ts',
	'server/src/telemetry/recorder/{insert-missing,recorded-keys,recorder,refused-batches}.test.ts',
	'server/src/telemetry/recorder/{replay-segments,row-making,shed-log,snapshot-log,with-claims}.test.ts',
]
