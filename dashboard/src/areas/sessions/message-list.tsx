import { messageText } from './message-text.ts'
import type { SessionCall } from './queries.ts'

type Message = NonNullable<SessionCall['messages']>[number]

/** What was said in a model call and not before. */
export function MessageList({ messages }: { messages: readonly Message[] }) {
	return (
		<ul aria-label="Messages" className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-1.5">
			{messages.map((message, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: messages never change places
				<li key={at} className="rounded-md bg-sunken px-3 py-2">
					<span className="block text-xs font-medium text-ink-2">
						{message.kind === 'answer' ? 'assistant' : (message.role ?? message.kind)}
						{message.cut && ' · the first 20,000 characters'}
					</span>
					<Said text={messageText(message.text)} />
				</li>
			))}
		</ul>
	)
}

const shownAtOnce = 600
const look = 'break-words whitespace-pre-wrap'

/** A long text is opened by whoever wants to read it. */
function Said({ text }: { text: string }) {
	if (text.length <= shownAtOnce) return <p className={look}>{text}</p>
	return (
		<details>
			<summary className={`cursor-pointer ${look}`}>{text.slice(0, shownAtOnce)}…</summary>
			<p className={`mt-2 ${look}`}>{text}</p>
		</details>
	)
}
