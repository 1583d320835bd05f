import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Panel } from '../../ui/page.tsx'
import { clientSettings } from '../model-proxy/client-settings.ts'
import type { Connection } from '../model-proxy/queries.ts'
import type { Span } from '../telemetry/queries.ts'
import { FirstTrace, Step } from './step.tsx'

/** For programs that call a model. */
export function ModelPath({
	connection,
	call,
}: {
	connection: Connection | undefined
	call: Span | undefined
}) {
	return (
		<Panel title="Call a model">
			<ol>
				<Step number={1} title="Add a connection" isDone={connection !== undefined}>
					{connection ? (
						<Link to="/connections" className="text-accent hover:underline">
							{connection.name}
						</Link>
					) : (
						<Link to="/connections" className={buttonClass()}>
							Add a provider’s key
						</Link>
					)}
				</Step>
				<Step number={2} title="Point a client at it" isDone={call !== undefined}>
					{connection && !call && (
						<CodeBlock label="Environment" code={clientSettings(connection, 'YOUR_AGENT_KEY')} />
					)}
					<FirstTrace what="model call" traceId={call?.trace_id}>
						{call && <>{call.model ?? call.model_requested} answered.</>}
					</FirstTrace>
				</Step>
			</ol>
		</Panel>
	)
}
