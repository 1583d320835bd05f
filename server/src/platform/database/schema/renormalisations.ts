/** Stored spans that are mapped anew. */
export interface RenormalisationTables {
	renormalisations: {
		id: string
		workspace_id: string
		/** Spans that began from here up to, but without, the other. */
		start_ms: number
		end_ms: number
		/** Only those; null: all. */
		dialect: string | null
		/** pending | running | done */
		status: string
		/** How many are done. */
		spans: number
		/** The partition that is worked on; those before it, in the order of their ids, are done. */
		partition_id: string | null
		/** staging | swapping: see server/src/telemetry/renormalise/swap-partition.ts. */
		stage: string
		stage_started_at: number | null
		/** Spans stored later are not touched, by the clock of the engine. */
		stored_up_to: number | null
		created_at: number
		finished_at: number | null
	}
}
