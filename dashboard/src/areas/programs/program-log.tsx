import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import { formatClock } from '../../lib/format.ts'
import { Switch } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { SearchInput } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { scrollRegion } from '../../ui/scroll-region.ts'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { type LogLine, logsQuery } from './queries.ts'

/** The program's standard error, and the actions of Signalbox on it. */
export function ProgramLog({ serverId }: { serverId: string }) {
	if (!useCan('programs:write')) return <RoleHint needs="programs:write" what="read the log of a program" />
	return <Log serverId={serverId} />
}

function Log({ serverId }: { serverId: string }) {
	const [isFollowed, setIsFollowed] = useState(true)
	const [wanted, setWanted] = useState('')
	const { data, error, refetch } = useQuery(logsQuery(serverId, isFollowed))
	const lines = data?.lines.filter(({ text }) => text.toLowerCase().includes(wanted.toLowerCase()))
	return (
		<Panel
			title={
				<SearchInput
					label="Find in the log"
					value={wanted}
					onChange={(event) => setWanted(event.target.value)}
					className="font-normal"
				/>
			}
			actions={
				<>
					<span className="flex items-center gap-2 text-xs text-ink-2">
						Follow
						<Switch label="Follow the log" checked={isFollowed} onChange={setIsFollowed} />
					</span>
					<CopyButton text={(lines ?? []).map(asText).join('\n')} label="Copy lines" />
				</>
			}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !lines ? (
				<SkeletonRows />
			) : lines.length === 0 ? (
				<Empty icon="audit" title={wanted ? 'No line matches' : 'Nothing written yet'}>
					{wanted
						? 'Try a shorter part of it.'
						: 'The last 1,000 lines are kept in memory: they end with Signalbox.'}
				</Empty>
			) : (
				<Lines lines={lines} isFollowed={isFollowed} />
			)}
		</Panel>
	)
}

function Lines({ lines, isFollowed }: { lines: readonly LogLine[]; isFollowed: boolean }) {
	const place = useRef<HTMLDivElement>(null)
	const last = lines.at(-1)
	// biome-ignore lint/correctness/useExhaustiveDependencies: a new last line must trigger the scrolling
	useLayoutEffect(() => {
		if (isFollowed) place.current?.scrollTo({ top: place.current.scrollHeight })
	}, [isFollowed, last?.at, last?.text])
	return (
		<div
			ref={place}
			{...scrollRegion('Log of the program')}
			className="max-h-[32rem] overflow-auto py-2 font-mono text-xs"
		>
			<ol>
				{lines.map((line, at) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: equal lines may come at the same time
					<li key={`${line.at} ${at}`} className="flex gap-3 px-4 py-0.5 hover:bg-hover">
						<time dateTime={line.at} className="shrink-0 text-ink-3 tabular-nums">
							{formatClock(line.at)}
						</time>
						<span className={tones[line.stream]}>
							{line.stream !== 'stderr' && <span className="font-sans">{names[line.stream]} </span>}
							{line.text}
						</span>
					</li>
				))}
			</ol>
		</div>
	)
}

const tones: Record<LogLine['stream'], string> = {
	stderr: 'break-all whitespace-pre-wrap',
	stdout: 'break-all whitespace-pre-wrap text-warn',
	signalbox: 'break-words text-accent',
}

const names: Record<LogLine['stream'], string> = {
	stderr: '',
	stdout: 'no message:',
	signalbox: 'Signalbox:',
}

function asText({ at, stream, text }: LogLine): string {
	return `${at} ${stream} ${text}`
}
