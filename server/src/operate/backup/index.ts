export { createBackup } from './create-backup.ts'
export { refuseHalfRestored, restoreBackup, summarise, verifyBackup } from './restore-backup.ts'
