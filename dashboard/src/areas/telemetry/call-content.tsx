import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api.ts'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Conversation } from '../reader/conversation.tsx'
import { callContentQuery, type Span } from './queries.ts'

/** What a call carried: the conversation of a model call, arguments and result of a tool call. */
export function CallContent({ span }: { span: Span }) {
	const { data, error } = useQuery(callContentQuery(span))
	if (data) {
		const shown = data.messages
			.filter(({ kind }) => kind !== 'settings' && kind !== 'tool')
			.map(({ kind, name, text }) => ({ kind, role: name, text, cut: isCut(span, kind) }))
		return <Conversation messages={shown} />
	}
	if (error && !(error instanceof ApiError && error.status === 404)) return <InlineError error={error} />
	if (!error) return <SkeletonRows rows={4} />
	return (
		<p className="text-ink-3">
			No message content captured.{' '}
			{span.source === 'otlp'
				? 'The sender of this span leaves it out; most libraries have a setting for it.'
				: 'Recording is off for this workspace, server or connection, or the call carried none.'}
		</p>
	)
}

const isCut = ({ attributes }: Span, kind: string) =>
	kind === 'result' && attributes['signalbox.result_cut'] !== undefined
