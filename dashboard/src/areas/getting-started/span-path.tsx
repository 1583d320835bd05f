import { useState } from 'react'
import { baseUrl } from '../../lib/base-url.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Panel } from '../../ui/page.tsx'
import { NewIngestTokenDialog } from '../identity/new-ingest-token-dialog.tsx'
import { otlpEnvironment } from '../identity/otlp-environment.ts'
import { useCan } from '../identity/session.ts'
import type { Span } from '../telemetry/queries.ts'
import { FirstTrace, Step } from './step.tsx'

/** For programs that already have OpenTelemetry. */
export function SpanPath({ span }: { span: Span | undefined }) {
	const [isOpen, setIsOpen] = useState(false)
	const canChange = useCan('keys:write')
	return (
		<Panel title="Watch a program">
			<ol>
				<Step number={1} title="Set the exporter’s environment" isDone={span !== undefined}>
					{!span && (
						<>
							<CodeBlock label="Any OpenTelemetry SDK" code={otlpEnvironment(baseUrl, 'YOUR_INGEST_TOKEN')} />
							<Button className="mt-3" icon="key" disabled={!canChange} onClick={() => setIsOpen(true)}>
								Create a token
							</Button>
						</>
					)}
				</Step>
				<Step number={2} title="Run it" isDone={span !== undefined}>
					<FirstTrace what="span" traceId={span?.trace_id}>
						{span && (
							<>
								{span.service_name ?? 'A program'} sent “{span.name}”.
							</>
						)}
					</FirstTrace>
				</Step>
			</ol>
			<NewIngestTokenDialog open={isOpen} onClose={() => setIsOpen(false)} />
		</Panel>
	)
}
