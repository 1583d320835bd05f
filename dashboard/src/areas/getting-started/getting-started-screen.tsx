import { Link } from '@tanstack/react-router'
import { baseUrl } from '../../lib/base-url.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { DemoOffer } from '../demo/demo-offer.tsx'
import { subjectOf } from '../telemetry/describe-span.ts'
import { ModelPath } from './model-path.tsx'
import { useProgress } from './progress.ts'
import { SpanPath } from './span-path.tsx'
import { FirstTrace, Step } from './step.tsx'

/** Three ways to the first call, each with the real values of this instance. */
export function GettingStartedScreen() {
	const progress = useProgress()
	return (
		<Page
			title="Getting started"
			description="Pick what you have at hand. Each step turns green by itself."
			actions={<DemoOffer />}
		>
			{progress.error ? (
				<ErrorState error={progress.error} />
			) : (
				<div className="grid items-start gap-4 lg:grid-cols-2">
					<ToolPath {...progress} />
					<div className="grid gap-4">
						<SpanPath span={progress.span} />
						<ModelPath connection={progress.connection} call={progress.modelCall} />
					</div>
				</div>
			)}
		</Page>
	)
}

function ToolPath({ server, agent, isGranted, toolCall }: ReturnType<typeof useProgress>) {
	const command = `claude mcp add --transport http signalbox \\\n  ${baseUrl}/mcp-key \\\n  --header "Authorization: Bearer YOUR_AGENT_KEY"`
	const needsKey = toolCall === undefined
	return (
		<Panel title="Give an agent tools">
			<ol>
				<Step number={1} title="Register an MCP server" isDone={server !== undefined}>
					{server ? (
						<Link
							to="/servers/$serverId"
							params={{ serverId: server.id }}
							className="text-accent hover:underline"
						>
							{server.name}
						</Link>
					) : (
						<>
							<p className="mb-2">By its URL. To try it out, run the public reference server:</p>
							<CodeBlock
								label="Terminal · then register http://127.0.0.1:3001/mcp"
								code="npx @modelcontextprotocol/server-everything streamableHttp"
							/>
							<Link to="/servers" search={{ register: true }} className={`${buttonClass('primary')} mt-3`}>
								Register server
							</Link>
						</>
					)}
				</Step>
				<Step number={2} title="Create an agent" isDone={agent !== undefined}>
					{agent ? (
						<Link
							to="/agents/$agentId"
							params={{ agentId: agent.uuid }}
							className="text-accent hover:underline"
						>
							{agent.name}
						</Link>
					) : (
						<>
							<p className="mb-2">The identity that calls: a program, or a person’s assistant.</p>
							<Link
								to="/agents"
								search={{ create: true }}
								className={buttonClass(server ? 'primary' : 'secondary')}
							>
								Create agent
							</Link>
						</>
					)}
				</Step>
				<Step number={3} title="Grant it tools" isDone={isGranted}>
					{agent && !isGranted ? (
						<Link to="/agents/$agentId" params={{ agentId: agent.uuid }} className={buttonClass('primary')}>
							Grant access
						</Link>
					) : (
						<p>All tools of a server, or a choice of them. Without a grant an agent sees nothing.</p>
					)}
				</Step>
				<Step number={4} title="Connect a client" isDone={toolCall !== undefined}>
					{agent && needsKey && (
						<p className="mb-2">
							<Link
								to="/agents/$agentId"
								params={{ agentId: agent.uuid }}
								search={{ tab: 'keys' }}
								className="text-accent underline underline-offset-2"
							>
								Create a key
							</Link>{' '}
							for {agent.name}: it comes with the finished line for your client. For Claude Code it is
						</p>
					)}
					{needsKey && <CodeBlock label="Terminal" code={command} />}
					<FirstTrace what="tool call" traceId={toolCall?.trace_id}>
						{toolCall && <>{subjectOf(toolCall)} was called.</>}
					</FirstTrace>
				</Step>
			</ol>
		</Panel>
	)
}
