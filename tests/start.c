/* Criterion initialises libgit2 in the process of each test. That reads all certificates of the system, which takes a third of the time of
 * a short test. Criterion only shows differences of texts with it, in assertions of a kind that no test uses. So these functions, which do
 * nothing, take the place of those of libgit2. */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);

int git_libgit2_init(void) { return 1; }

int git_libgit2_shutdown(void) { return 0; }
