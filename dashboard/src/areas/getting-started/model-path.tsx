import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Panel } from '../../ui/page.tsx'
import { clientSettings } from '../model-proxy/client-settings.ts'
import type { Connection } from '../model-proxy/queries.ts'
import type { Span } from '../telemetry/queries.ts'
import { Step, Waiting } from './step.tsx'

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
					<Waiting isDone={call !== undefined} text="Waiting for the first model call…">
						{call && (
							<>
								{call.model ?? call.model_requested} answered.
								<Link
									to="/traces/$traceId"
									params={{ traceId: call.trace_id }}
									className="underline underline-offset-2"
								>
									See the trace
								</Link>
							</>
						)}
					</Waiting>
				</Step>
			</ol>
		</Panel>
	)
}
