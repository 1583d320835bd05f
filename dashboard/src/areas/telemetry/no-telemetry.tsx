import { Link } from '@tanstack/react-router'
import { baseUrl } from '../../lib/base-url.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Empty } from '../../ui/states.tsx'
import { otlpEnvironment } from '../identity/otlp-environment.ts'

/** The settings that make telemetry arrive here; it then appears by itself. */
export function NoTelemetry({ what, signal }: { what: string; signal: 'logs' | 'metrics' }) {
	const environment = otlpEnvironment(baseUrl, 'YOUR_INGEST_TOKEN')
	return (
		<>
			<Empty
				icon="live"
				title={`Waiting for ${what}…`}
				action={
					<Link to="/keys" className={buttonClass('primary')}>
						Create a token
					</Link>
				}
			>
				None arrived in this period. Give a program this environment and run it: what it sends appears here by
				itself.
			</Empty>
			<div className="mx-auto max-w-2xl px-4 pb-6">
				<CodeBlock
					label="Any OpenTelemetry SDK"
					code={environment.replace('OTEL_TRACES_EXPORTER=', `OTEL_${signal.toUpperCase()}_EXPORTER=`)}
				/>
			</div>
		</>
	)
}
