import { expect, it } from 'vitest'
import { mergeMetrics } from './metrics.ts'

const text = (rows: number) => `# HELP rows Rows
# TYPE rows gauge
rows ${rows}
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{le="0.1",kind="a b"} ${rows}
took_seconds_count{kind="a b"} ${rows}
# EOF
`

it('the metrics of several processes are merged, each sample labelled with its process number', () => {
	expect(
		mergeMetrics([
			[0, text(1)],
			[1, text(2)],
			[2, ''],
		]),
	).toBe(`# HELP rows Rows
# TYPE rows gauge
rows{process="0"} 1
rows{process="1"} 2
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{process="0",le="0.1",kind="a b"} 1
took_seconds_count{process="0",kind="a b"} 1
took_seconds_bucket{process="1",le="0.1",kind="a b"} 2
took_seconds_count{process="1",kind="a b"} 2
# EOF
`)
})
