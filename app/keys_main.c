/* keys cases|machines: prints the tables of keys at the end of data/cases/README.md and data/machines/README.md. */
#include <string.h>

#include "data/yaml/yaml_write.h"
#include "ipu/machine/target.h"
#include "solver/case/case.h"

int main(int n, char **words)
{
    const bool machines = n > 1 && strcmp(words[1], "machines") == 0;
    mt_yaml_write_page(stdout, machines ? ipu_target_table.keys : mt_case_table.keys);
    return fflush(stdout) == 0 ? MT_OK : MT_FILE;
}
