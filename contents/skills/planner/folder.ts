/** Where the plan and all notes about it are, so that nothing of them lies in the project itself. */
export const FOLDER = 'the folder of this task (holdfast status names it)'
