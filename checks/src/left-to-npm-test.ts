/**
 * Files of the project `unit` that `npm run verify` leaves out: they wait for real receivers and their back-off, kill, fuzz, or
 * ask the engine hundreds of questions.
 */
export const leftToNpmTest = [
	'server/src/access/review/simulate/simulate.test.ts',
	'server/src/insights/alerts/alerts.test.ts',
	'server/src/insights/spotlight/{breakdowns,derived-sessions,inherited-names,merge-usage,merge-views}.test.ts',
	'server/src/insights/spotlight/joins/join-arrived.test.ts',
	'server/src/insights/spotlight/matrix/matrix.test.ts',
	'server/src/insights/spotlight/rollups/{roll-hours,roll-open-hours,rollups}.test.ts',
	'server/src/insights/spotlight/sessions/sessions.test.ts',
	'server/src/models/proxy/unchanged-bytes.test.ts',
	'server/src/platform/crypto/password-hasher.test.ts',
	'server/src/servers/far-servers.test.ts',
	'server/src/telemetry/{erasures/erasures,forwarders/forwarders,renormalise/renormalise}.test.ts',
	'server/src/telemetry/arrivals/arrivals.test.ts',
	'server/src/telemetry/blocks/span-block.test.ts',
	'server/src/telemetry/otlp/receive.test.ts',
	'server/src/telemetry/recorder/{insert-missing,recorder,refused-batches,snapshot-log,with-claims}.test.ts',
]
